import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { readRun, writeEmbeddings, writeRun } from '@kith/ir'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { type RerankInputs, rerankRun } from '../src/rerank/rerank-run.ts'

const folder = temporaryFolder()
const at = (name: string): string => join(folder, name)

/** Several slices, the last one short. */
const QUERIES = 150
const DOCUMENTS = 90
const DIMENSIONS = 8

const vector = (seed: number): Float32Array =>
  Float32Array.from({ length: DIMENSIONS }, (_, i) => Math.sin(seed * 7 + i * i))

const docsFile = at('docs.npy')
const files = { queries: at('queries.npy'), docs: docsFile }
const lines: string[] = []
const texts = (prefix: string, count: number): string =>
  Array.from({ length: count }, (_, i) =>
    JSON.stringify({ _id: `${prefix}${i}`, text: `term${i % 7} term${i % 11} word${i % 5}` }),
  ).join('\n')

beforeAll(async () => {
  const rows = (count: number, seed: number): Float32Array[] =>
    Array.from({ length: count }, (_, i) => vector(i + seed))
  const ids = (prefix: string, count: number): string[] =>
    Array.from({ length: count }, (_, i) => `${prefix}${i}`)
  await writeEmbeddings(
    files.docs,
    { dimensions: DIMENSIONS, ids: ids('d', DOCUMENTS) },
    rows(DOCUMENTS, 0),
  )
  await writeEmbeddings(
    files.queries,
    { dimensions: DIMENSIONS, ids: ids('q', QUERIES) },
    rows(QUERIES, 1000),
  )
  for (let q = 0; q < QUERIES; q++) {
    for (let i = 0; i < 20; i++)
      lines.push(`q${q} Q0 d${(q * 3 + i * 4) % DOCUMENTS} ${i} ${20 - i} t`)
  }
  writeFileSync(at('run.trec'), `${lines.join('\n')}\n`)
  writeFileSync(at('corpus.jsonl'), texts('d', DOCUMENTS))
  writeFileSync(at('query-texts.jsonl'), texts('q', QUERIES))
})

const withTexts = { corpus: at('corpus.jsonl'), queryText: at('query-texts.jsonl') }

let outputs = 0
async function reranked(more: Partial<RerankInputs>, ending = '.trec'): Promise<string> {
  const out = at(`out${outputs++}${ending}`)
  await rerankRun({ run: at('run.trec'), ...files, out, ...more })
  return readFileSync(out, 'utf8')
}

describe.each([
  ['without texts', {}],
  ['with texts', withTexts],
])('rerankRun %s', (_, more) => {
  test('writes the same bytes for any number of workers', async () => {
    const expected = await reranked({ ...more, workers: 1 })
    expect(expected.split('\n')).toHaveLength(lines.length + 1)
    for (const workers of [2, 3]) expect(await reranked({ ...more, workers })).toBe(expected)
  })

  test('writes the same for a run that is read whole', async () => {
    const expected = await reranked(more)
    await writeRun(at('run.json'), await readRun(at('run.trec')))
    expect(await reranked({ ...more, run: at('run.json'), workers: 2 })).toBe(expected)
    // The last line of the first query comes behind all others.
    const [first, ...others] = lines
    writeFileSync(at('scattered.trec'), [...others, first].join('\n'))
    const scattered = await reranked({ ...more, run: at('scattered.trec') })
    expect(scattered.split('\n').sort()).toEqual(expected.split('\n').sort())
  })
})

test('writes the same rankings as JSON and packed', async () => {
  const expected = await reranked({})
  const json = JSON.parse(await reranked({ workers: 2 }, '.json')) as Record<string, object>
  expect(Object.keys(json)).toHaveLength(QUERIES)
  expect(Object.keys(json.q3!)).toEqual(
    expected
      .split('\n')
      .filter((line) => line.startsWith('q3 '))
      .map((line) => line.split(' ')[2]),
  )
  const out = at('packed.trec.gz')
  await rerankRun({ run: at('run.trec'), ...files, out })
  expect(gunzipSync(readFileSync(out)).toString()).toBe(expected)
})

describe('rerankRun with missing data', () => {
  beforeAll(() => {
    const strange = lines.map((line, i) => {
      const renamed = line.replace(/^q(70|149) /, 'z$1 ')
      return i % 20 === 3 ? renamed.replace(/ d\d+ /, ' x3 ') : renamed
    })
    writeFileSync(at('strange.trec'), strange.join('\n'))
  })

  test.each([1, 2])('counts it over the whole run, %i workers', async (workers) => {
    const refused = reranked({ run: at('strange.trec'), workers })
    await expect(refused).rejects.toThrow(
      `${at('strange.trec')}:4: 1 candidates of the run have no embedding in ${files.docs}: x3; 2 queries of the run have no embedding in ${files.queries}: z70, z149`,
    )
  })

  test.each([1, 2])('skips it on request, %i workers', async (workers) => {
    const out = at(`skipped${workers}.trec`)
    const inputs = { run: at('strange.trec'), ...files, out, missing: 'skip' as const, workers }
    const remarks: string[] = []
    const result = await rerankRun(inputs, { onRemark: (remark) => remarks.push(remark) })
    expect(result.queries).toBe(QUERIES - 2)
    expect(remarks).toEqual([
      expect.stringMatching(/^vectors differ in length; using metric \w+/),
      '1 candidates of the run have no embedding: x3',
      '2 queries of the run have no embedding: z70, z149',
    ])
    const written = await readRun(out)
    // Queries that were left out keep their ranking, with the scores they had.
    expect(written.get('z70')).toEqual((await readRun(at('strange.trec'))).get('z70'))
    expect(written.get('q4')!.ids.at(-1)).toBe('x3')
  })
})

test('names the file, row and column of a number that is not finite', async () => {
  const bytes = readFileSync(docsFile)
  bytes.writeFloatLE(Number.NaN, bytes.length - 4 * (DOCUMENTS - 33) * DIMENSIONS + 8)
  writeFileSync(at('bad.npy'), bytes)
  writeFileSync(at('bad.ids.txt'), readFileSync(at('docs.ids.txt')))
  for (const workers of [1, 2]) {
    const refused = reranked({ docs: at('bad.npy'), workers })
    await expect(refused).rejects.toThrow(`${at('bad.npy')} row 33 column 2`)
  }
})

test('reports progress in queries, and leaves no output after an abort', async () => {
  const stop = new AbortController()
  const seen: number[] = []
  const out = at('stopped.trec')
  const work = rerankRun(
    { run: at('run.trec'), ...files, out, workers: 2 },
    {
      signal: stop.signal,
      onProgress({ done, total }) {
        expect(total).toBe(QUERIES)
        seen.push(done)
        if (done > 0) stop.abort(new Error('enough'))
      },
    },
  )
  await expect(work).rejects.toMatchObject({ code: 'ABORTED' })
  expect(seen).toEqual([0, 64])
  await expect(readRun(out)).rejects.toMatchObject({ code: 'BAD_FILE' })
})

describe('shards of rerankRun', () => {
  test.each([withTexts, {}])('add up to the whole run', async (more) => {
    const whole = await reranked(more)
    const parts: string[] = []
    // Borders within slices of 64 queries, and a shard of no slice of its own.
    for (const index of [1, 2, 3, 4, 5, 6, 7]) {
      parts.push(await reranked({ ...more, shard: { index, count: 7 } }))
    }
    expect(parts.join('')).toBe(whole)
    expect(new Set(parts).size).toBe(7)
  })

  test('can be read from Parquet and written to Parquet', async () => {
    const run = at('run.parquet')
    await writeRun(run, await readRun(at('run.trec')))
    const out = at('half.parquet')
    await rerankRun({ run, ...files, out, shard: { index: 2, count: 2 } })
    const half = [...(await readRun(out))]
    const whole = at('whole.trec')
    await rerankRun({ run, ...files, out: whole })
    expect(half.map(({ query, ids }) => ({ query, ids }))).toEqual(
      [...(await readRun(whole))].slice(75).map(({ query, ids }) => ({ query, ids })),
    )
  })

  test.each([
    [{ shard: { index: 3, count: 2 } }, '1 ≤ index ≤ count, got 3/2'],
    [
      { shard: { index: 1, count: 2 }, qrels: 'qrels.trec' },
      'measure when all shards are reranked',
    ],
    [
      { shard: { index: 1, count: 2 }, docs: undefined, store: 'somewhere.lance' },
      'submit the work on a store instead',
    ],
  ])('are refused if they are impossible', async (more, problem) => {
    await expect(reranked(more as Partial<RerankInputs>)).rejects.toThrow(problem)
  })
})
