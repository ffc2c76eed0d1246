import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { readTexts, type TextEntry, writeEmbeddings } from '@kith/ir'
import type { Tuned } from '@kith/tune'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { labelRun } from '../src/labels/label-run.ts'
import { loadStore } from '../src/load/load-store.ts'
import { rerankRun } from '../src/rerank/rerank-run.ts'
import { searchRun } from '../src/search/search-run.ts'

const folder = temporaryFolder()
const at = (name: string): string => join(folder, name)

const QUERIES = 12
const DOCUMENTS = 40
const vectorOf = (seed: number): number[] =>
  Array.from({ length: 8 }, (_, i) => Math.fround(Math.sin(seed * 7 + i * i)))
const textOf = (i: number): string => `term${i % 7} term${i % 11} word${i % 5}`
const lines = (rows: readonly object[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('')
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

/** Documents that several queries have found, as an engine would export them. */
const rows = numbers(QUERIES).flatMap((q) =>
  numbers(20).map((i) => {
    const doc = (q * 3 + i) % DOCUMENTS
    const found = { qid: `q${q}`, docid: `d${doc}`, rank: i + 1, score: 20 - i }
    return { ...found, text: textOf(doc), vector: vectorOf(doc) }
  }),
)

const queries = at('queries.npy')
const files = { run: at('run.trec'), docs: at('docs.npy'), queries }
const apart = { docs: files.docs, corpus: at('corpus.jsonl') }
const { corpus } = apart
const queryText = at('queries.jsonl')

beforeAll(async () => {
  const embed = (file: string, prefix: string, count: number, seed: number) =>
    writeEmbeddings(
      file,
      { dimensions: 8, ids: numbers(count).map((i) => `${prefix}${i}`) },
      numbers(count).map((i) => Float32Array.from(vectorOf(i + seed))),
    )
  await embed(files.docs, 'd', DOCUMENTS, 0)
  await embed(queries, 'q', QUERIES, 1000)
  const texts = (prefix: string, count: number) =>
    lines(numbers(count).map((i) => ({ _id: `${prefix}${i}`, text: textOf(i) })))
  // The terms are counted over the documents that the rows have.
  writeFileSync(corpus, texts('d', DOCUMENTS))
  writeFileSync(queryText, texts('q', QUERIES))
  writeFileSync(
    at('qrels.trec'),
    numbers(QUERIES)
      .map((q) => `q${q} 0 d${q * 3} 1\n`)
      .join(''),
  )
  writeFileSync(
    files.run,
    rows.map(({ qid, docid, rank, score }) => `${qid} Q0 ${docid} ${rank} ${score} t\n`).join(''),
  )
  writeFileSync(at('rows.jsonl'), lines(rows))
  await duck(`COPY (
    SELECT qid, docid, rank::INTEGER AS rank, score::DOUBLE AS score, text, vector::FLOAT[] AS vector
    FROM read_json('${at('rows.jsonl')}')
  ) TO '${at('frame.parquet')}' (FORMAT parquet)`)
  await duck(`COPY (SELECT 'q0' AS qid, 'd0' AS docid, 1::DOUBLE AS score)
    TO '${at('plain.parquet')}' (FORMAT parquet)`)
})

test.each([
  ['embeddings', {}, {}],
  ['embeddings and texts', { corpus, queryText }, { queryText }],
])('a run in Parquet has its %s itself', async (_, own, within) => {
  await rerankRun({ ...files, ...own, out: at('apart.trec') })
  await rerankRun({ run: at('frame.parquet'), queries, ...within, out: at('within.trec') })
  expect(readFileSync(at('within.trec'), 'utf8')).toBe(readFileSync(at('apart.trec'), 'utf8'))
  const { inputs } = JSON.parse(readFileSync(at('within.trec.meta.json'), 'utf8'))
  const named = inputs.map(({ file }: { file: string }) => file)
  expect(named).toEqual([at('frame.parquet'), queries, ...Object.values(within)])
})

test('labels of a run in Parquet equal labels of files', async () => {
  const labels = { qrels: at('qrels.trec'), settings: { contextSize: 20 } }
  await labelRun({ ...files, ...labels, out: at('apart.jsonl') })
  await labelRun({ run: at('frame.parquet'), queries, ...labels, out: at('within.jsonl') })
  expect(readFileSync(at('within.jsonl'), 'utf8')).toBe(readFileSync(at('apart.jsonl'), 'utf8'))
})

describe('a search with columns of documents', () => {
  const all = { queries, top: DOCUMENTS, columns: ['text', 'vector'] } as const

  /** The titles, texts and vectors of a run. */
  const documents = (file: string) =>
    duckRows(
      `SELECT DISTINCT docid, title, text, vector::FLOAT[] AS vector FROM '${file}'
       ORDER BY substr(docid, 2)::INTEGER`,
    )
  const expected = numbers(DOCUMENTS).map((i) => {
    return { docid: `d${i}`, title: null, text: textOf(i), vector: vectorOf(i) }
  })

  test.each([
    ['files', () => ({ docs: files.docs, corpus })],
    [
      'a store',
      async () => {
        const store = at('lance#frames')
        await loadStore({ store, docs: files.docs, corpus })
        return { store }
      },
    ],
  ])('writes what rerank needs, from %s', async (_, placeOf) => {
    const frame = at('searched.parquet')
    await searchRun({ ...all, ...(await placeOf()), out: frame })
    expect((await documents(frame)).rows).toEqual(expected)
    const { top } = all
    await searchRun({ queries, top, docs: files.docs, out: at('searched.trec') })
    await rerankRun({ run: frame, queries, queryText, out: at('framed.trec') })
    const run = at('searched.trec')
    await rerankRun({ ...files, run, corpus, queryText, out: at('joined.trec') })
    expect(readFileSync(at('framed.trec'), 'utf8')).toBe(readFileSync(at('joined.trec'), 'utf8'))
    const { settings } = JSON.parse(readFileSync(`${frame}.meta.json`, 'utf8'))
    expect(settings.columns).toEqual(['text', 'vector'])
  })

  test('writes the texts that BM25 found', async () => {
    const out = at('bm25.parquet')
    await searchRun({ bm25: true, corpus, queryText, top: 5, columns: ['text'], out })
    const { columns, rows: found } = await duckRows(`SELECT * FROM '${out}'`)
    expect(columns).toEqual(['qid', 'docid', 'rank', 'score', 'title', 'text'])
    expect(found.length).toBeGreaterThan(QUERIES)
    for (const { docid, text } of found as { docid: string; text: string }[])
      expect(text).toBe(textOf(Number(docid.slice(1))))
  })

  test.each([
    [{ docs: files.docs, out: 'x.trec' }, 'columns works only with an output in .parquet'],
    [{ docs: files.docs, out: 'x.parquet' }, 'there is no text for the column; pass corpus'],
  ])('refuses what it cannot write: %j', async (place, message) => {
    await expect(searchRun({ ...all, ...place })).rejects.toThrow(message)
  })

  test('refuses texts of a store that has none, and vectors with BM25', async () => {
    const store = at('lance#bare')
    await loadStore({ store, docs: files.docs })
    const out = at('none.parquet')
    await expect(searchRun({ ...all, store, out })).rejects.toThrow('the store has no texts')
    const words = { bm25: true, corpus, queryText, out } as const
    await expect(searchRun({ ...words, columns: ['vector'] })).rejects.toThrow(
      'there is no vector for the column; BM25 reads no embeddings',
    )
  })
})

describe('a reranked run in Parquet', () => {
  const columns = async (file: string) =>
    (await duckRows(`SELECT * FROM '${file}' LIMIT 0`)).columns
  const documents = (file: string) =>
    duckRows(`SELECT DISTINCT docid, text, vector::FLOAT[] AS vector FROM '${file}' ORDER BY docid`)

  test('keeps vectors and texts of the documents, which the next stage reads', async () => {
    const [first, second] = [at('first.parquet'), at('second.trec')]
    await rerankRun({ run: at('frame.parquet'), queries, queryText, out: first })
    expect(await columns(first)).toEqual([
      'qid',
      'docid',
      'rank',
      'score',
      'similarity',
      'text',
      'vector',
    ])
    const { rows: kept } = await documents(first)
    expect(kept).toHaveLength(DOCUMENTS)
    expect(kept).toEqual((await documents(at('frame.parquet'))).rows)
    await rerankRun({ run: first, queries, queryText, out: second })
    await rerankRun({ ...files, corpus, queryText, out: at('once.trec') })
    await rerankRun({ ...files, corpus, queryText, run: at('once.trec'), out: at('twice.trec') })
    expect(readFileSync(second, 'utf8')).toBe(readFileSync(at('twice.trec'), 'utf8'))
  })

  test('keeps the title, and texts that the ranking did not use', async () => {
    const titled = at('titled.parquet')
    await duck(`COPY (SELECT * EXCLUDE (text), CASE WHEN docid = 'd1' THEN NULL ELSE 'T' || docid END
      AS title, text FROM '${at('frame.parquet')}') TO '${titled}' (FORMAT parquet)`)
    await rerankRun({ run: titled, queries, out: at('kept.parquet') })
    const texts = (file: string) =>
      duckRows(`SELECT DISTINCT docid, title, text FROM '${file}' ORDER BY docid`)
    expect(await texts(at('kept.parquet'))).toEqual(await texts(titled))
  })

  test('has no column that another file replaces', async () => {
    await rerankRun({
      run: at('frame.parquet'),
      queries,
      ...apart,
      queryText,
      out: at('bare.parquet'),
    })
    expect(await columns(at('bare.parquet'))).toEqual([
      'qid',
      'docid',
      'rank',
      'score',
      'similarity',
    ])
  })

  test('keeps vectors and texts if tuning advises against reranking', async () => {
    const tuned = { verdict: 'keep-run', reason: 'no gain' } as Tuned
    const out = at('same.parquet')
    await rerankRun({ run: at('frame.parquet'), queries, tuned, out })
    expect((await documents(out)).rows).toEqual((await documents(at('frame.parquet'))).rows)
    await rerankRun({ run: at('plain.parquet'), queries, tuned, out })
    expect(await columns(out)).toEqual(['qid', 'docid', 'rank', 'score'])
  })
})

test('reads the texts of a corpus and of a run in Parquet, each document once', async () => {
  const texts: string[] = []
  for await (const { id, text } of readTexts(at('frame.parquet'))) texts.push(`${id} ${text}`)
  expect(texts.sort()).toEqual(
    numbers(DOCUMENTS)
      .map((i) => `d${i} ${textOf(i)}`)
      .sort(),
  )
  await duck(`COPY (
    SELECT * FROM (VALUES ('a', 'A title', 'one'), ('b', NULL, 'two'), ('c', 'No text', NULL))
      AS t(_id, title, text)
  ) TO '${at('corpus.parquet')}' (FORMAT parquet)`)
  const entries: TextEntry[] = []
  for await (const entry of readTexts(at('corpus.parquet'))) entries.push(entry)
  expect(entries).toEqual([
    { id: 'a', title: 'A title', text: 'one' },
    { id: 'b', text: 'two' },
  ])
})

test('a run in Parquet without vectors says which column is missing', async () => {
  const plain = { run: at('plain.parquet'), queries, out: at('none.trec') }
  await expect(rerankRun(plain)).rejects.toMatchObject({
    code: 'BAD_FILE',
    message: expect.stringContaining('plain.parquet'),
  })
  await expect(rerankRun({ ...plain, docs: files.docs, queryText })).rejects.toMatchObject({
    code: 'BAD_FILE',
    message: expect.stringContaining('docid'),
  })
})

async function duck(sql: string): Promise<void> {
  await duckRows(sql)
}

async function duckRows(sql: string): Promise<{ columns: string[]; rows: unknown[] }> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    const reader = await connection.runAndReadAll(sql)
    return { columns: reader.columnNames(), rows: reader.getRowObjectsJson() }
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
