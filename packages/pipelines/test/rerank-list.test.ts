import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ListOptions, prepareText, shortlist, TermStatisticsBuilder } from '@kith/core'
import { readRun, readTexts, writeEmbeddings } from '@kith/ir'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import type { RunList } from '../src/rerank/list-table.ts'
import { type RerankInputs, rerankRun, submitRerank } from '../src/rerank/rerank-run.ts'

const folder = temporaryFolder()
const at = (name: string): string => join(folder, name)

const QUERIES = 40
const DOCUMENTS = 120
const CANDIDATES = 60
const DIMENSIONS = 8

/** Every third document is a copy of the one before, with a small change. */
const vector = (seed: number): Float32Array =>
  Float32Array.from({ length: DIMENSIONS }, (_, i) =>
    seed % 3 === 2
      ? Math.sin((seed - 1) * 7 + i * i) + 0.01 * Math.cos(seed + i)
      : Math.sin(seed * 7 + i * i),
  )
const document = (i: number) => ({
  _id: `d${i}`,
  text: `term${i % 7} term${i % 11} word${i % 5} own${i}`,
  // Some documents have no source.
  metadata: { source: i % 10 === 0 ? null : `page ${i % 17}` },
  popularity: Math.sin(i * 3),
})
const documents = Array.from({ length: DOCUMENTS }, (_, i) => document(i))
const queries = Array.from({ length: QUERIES }, (_, i) => `term${i % 7} word${i % 5}`)
const candidatesOf = (q: number): number[] =>
  Array.from({ length: CANDIDATES }, (_, i) => (q * 3 + i * 7) % DOCUMENTS)

const files = { run: at('run.trec'), queries: at('queries.npy'), docs: at('docs.npy') }
const texts = { corpus: at('corpus.jsonl'), queryText: at('query-texts.jsonl') }
const settings = { metric: 'cosine', contextSize: 10 } as const

beforeAll(async () => {
  const rows = (count: number, seed: number) =>
    Array.from({ length: count }, (_, i) => vector(i + seed))
  const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => prefix + i)
  const dimensions = DIMENSIONS
  await writeEmbeddings(files.docs, { dimensions, ids: ids('d', DOCUMENTS) }, rows(DOCUMENTS, 0))
  await writeEmbeddings(files.queries, { dimensions, ids: ids('q', QUERIES) }, rows(QUERIES, 999))
  const run = queries.flatMap((_, q) =>
    candidatesOf(q).map((d, i) => `q${q} Q0 d${d} ${i + 1} ${CANDIDATES - i} t`),
  )
  writeFileSync(files.run, `${run.join('\n')}\n`)
  const lines = (list: object[]) => list.map((one) => JSON.stringify(one)).join('\n')
  writeFileSync(texts.corpus, lines(documents))
  writeFileSync(texts.queryText, lines(queries.map((text, q) => ({ _id: `q${q}`, text }))))
})

let outputs = 0
async function reranked(more: Partial<RerankInputs>) {
  const out = at(`out${outputs++}.trec`)
  const result = await rerankRun({ ...files, ...texts, settings, out, ...more })
  return { result, bytes: readFileSync(out, 'utf8'), run: await readRun(out) }
}

/** The lists that the library makes of the same candidates. */
function expected(list: (candidates: readonly number[]) => ListOptions) {
  const builder = new TermStatisticsBuilder({ tokenizer: 'english' })
  for (const { text } of documents) builder.add(prepareText(text))
  const statistics = builder.finish()
  return queries.map((text, q) => {
    const found = candidatesOf(q)
    const candidates = { vectors: found.map(vector), texts: found.map((d) => documents[d]!.text) }
    const options = { ...settings, statistics, ...list(found) }
    const { hits } = shortlist({ vector: vector(999 + q), text }, candidates, options)
    const folded = found.length - hits.length
    return { ids: hits.map(({ index }) => `d${found[index]}`), folded }
  })
}

const sourceOf = (d: number) => documents[d]!.metadata.source ?? undefined
const groups = (found: readonly number[]) => found.map(sourceOf)
const priors = (found: readonly number[]) => found.map((d) => documents[d]!.popularity)

describe('rerankRun writes the lists of shortlist', () => {
  test.each<[RunList, (found: readonly number[]) => ListOptions]>([
    [{ collapse: 0.95 }, () => ({ collapse: 0.95 })],
    [{ group: 'source' }, (found) => ({ groups: groups(found) })],
    [{ group: 'source', maxPerGroup: 2 }, (found) => ({ groups: groups(found), maxPerGroup: 2 })],
    [
      { prior: 'popularity', priorWeight: 0.5 },
      (found) => ({ priors: priors(found), priorWeight: 0.5 }),
    ],
    [
      { collapse: 0.95, group: 'source', prior: 'popularity', priorScale: 'log-odds' },
      (found) => ({
        collapse: 0.95,
        groups: groups(found),
        priors: priors(found),
        priorScale: 'log-odds',
      }),
    ],
  ])('with %j', async (list, options) => {
    const { result, bytes, run } = await reranked({ list, workers: 1 })
    const lists = expected(options)
    for (const [q, { ids }] of lists.entries()) expect(run.get(`q${q}`)!.ids).toEqual(ids)
    const folded = lists.reduce((sum, one) => sum + one.folded, 0)
    const leaves = list.collapse !== undefined || list.group !== undefined
    expect(result.folded).toBe(leaves ? folded : undefined)
    if (leaves) expect(folded).toBeGreaterThan(QUERIES)
    expect((await reranked({ list, workers: 2 })).bytes).toBe(bytes)
    const plain = await reranked({})
    expect(plain.bytes).not.toBe(bytes)
    expect(plain.bytes).toBe((await reranked({ list: {} })).bytes)
  })

  test('before a cutoff', async () => {
    const { result, run } = await reranked({ list: { group: 'source' }, cutoff: 3 })
    const lists = expected((found) => ({ groups: groups(found) }))
    for (const [q, { ids }] of lists.entries()) {
      expect(run.get(`q${q}`)!.ids).toEqual(ids.slice(0, 3))
    }
    expect(result.folded).toBe(lists.reduce((sum, one) => sum + one.folded, 0))
  })

  test('without texts, for collapse', async () => {
    const none = { corpus: undefined, queryText: undefined }
    const { result, run } = await reranked({ ...none, list: { collapse: 0.95 } })
    expect(result.folded).toBeGreaterThan(QUERIES)
    const left = Array.from(run, ({ ids }) => ids.length).reduce((a, b) => a + b)
    expect(left + result.folded!).toBe(QUERIES * CANDIDATES)
  })

  test('and keeps candidates without an embedding behind them', async () => {
    const strange = readFileSync(files.run, 'utf8').replace(/^(q\d+ Q0) d\d+ 2 /gm, '$1 x 2 ')
    writeFileSync(at('strange.trec'), strange)
    const list = { collapse: 0.95 }
    const { result, run } = await reranked({ run: at('strange.trec'), missing: 'skip', list })
    for (const { ids } of run) expect(ids.at(-1)).toBe('x')
    const left = Array.from(run, ({ ids }) => ids.length).reduce((a, b) => a + b)
    expect(left + result.folded!).toBe(QUERIES * CANDIDATES)
  })
})

describe('rerankRun refuses', () => {
  test.each<[string, Partial<RerankInputs>, string]>([
    ['a collapse out of range', { list: { collapse: 2 } }, 'setting collapse must be'],
    [
      'an unknown list setting',
      { list: { colapse: 0.9 } as RunList },
      'unknown setting "colapse", did you mean collapse?',
    ],
    [
      'maxPerGroup without group',
      { list: { maxPerGroup: 2 } },
      'setting maxPerGroup has no effect: it needs group; leave it out',
    ],
    [
      'group without texts',
      { list: { group: 'source' }, corpus: undefined, queryText: undefined },
      'setting group has no effect: it needs texts; leave it out',
    ],
    [
      'a group that no document has',
      { list: { group: 'sorce' } },
      'corpus.jsonl: no document of the run has the field "sorce", which group needs; name a field',
    ],
    [
      'a field that is an object',
      { list: { prior: 'metadata' } },
      'corpus.jsonl:1: field "metadata" must be a string or a number',
    ],
    [
      'a prior that is no number',
      { list: { prior: 'text' } },
      'prior needs a number in the field "text" of every candidate, but document "d0" has "term0',
    ],
    [
      'a prior that is missing',
      { list: { prior: 'freshness' } },
      'prior needs a number in the field "freshness" of every candidate, but document "d0" lacks it; add the number, or name another field',
    ],
    [
      'a group of documents in a store',
      { docs: undefined, store: 'none', corpus: undefined, list: { group: 'source' } },
      'setting group needs docs and corpus: a store has no fields of documents; leave it out',
    ],
    [
      'a cross-encoder',
      { thenCrossEncode: { model: 'none', first: 10 }, list: { collapse: 0.9 } },
      'setting collapse and thenCrossEncode cannot be combined',
    ],
  ])('%s', async (_, more, message) => {
    await expect(reranked(more)).rejects.toThrow(message)
  })

  test('list settings of submitted work', async () => {
    const inputs = { run: files.run, queries: files.queries, store: 'postgres://none' }
    await expect(
      submitRerank({ ...inputs, list: { collapse: 0.9 } }, { name: 'mine' }),
    ).rejects.toMatchObject({ code: 'BAD_SETTING', message: expect.stringContaining('collapse') })
  })
})

test('readTexts reads further fields of JSONL only', async () => {
  const read = async (file: string) => {
    const entries = []
    for await (const entry of readTexts(file, { fields: ['source', 'popularity'] })) {
      entries.push(entry.fields)
    }
    return entries
  }
  expect((await read(texts.corpus)).slice(0, 2)).toEqual([
    { popularity: 0 },
    { source: 'page 1', popularity: Math.sin(3) },
  ])
  writeFileSync(at('corpus.tsv'), 'd0\tone\n')
  await expect(read(at('corpus.tsv'))).rejects.toMatchObject({
    code: 'BAD_FILE',
    message: expect.stringContaining('"source"'),
  })
})
