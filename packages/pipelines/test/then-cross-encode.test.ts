import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CrossEncoder, loadCrossEncoder } from '@kith/encoder'
import { type RankedQuery, readRun, writeEmbeddings } from '@kith/ir'
import type { Tuned } from '@kith/tune'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { writeSmallCrossEncoder } from '../../encoder/test/small-cross-encoder.ts'
import { evaluateRuns } from '../src/eval/evaluate-runs.ts'
import { loadStore } from '../src/load/load-store.ts'
import { type RerankInputs, rerankRun, submitRerank } from '../src/rerank/rerank-run.ts'
import { searchRun } from '../src/search/search-run.ts'

const folder = temporaryFolder()
const at = (name: string): string => join(folder, name)
const read = (name: string): string => readFileSync(at(name), 'utf8')

const [QUERIES, DOCUMENTS, LISTED] = [6, 30, 12]
const words = ['the', 'of', 'and', 'retrieval', 'dense', 'query', 'neighbor', 'kith', 'a', 'b']
/** No two are the same; every fifth is longer than the model takes. */
const textOf = (i: number): string =>
  `${words[i % 10]} ${words[Math.floor(i / 10)]} ${'dense kith '.repeat(i % 5 === 0 ? 15 : i % 3)}`
const queryOf = (i: number): string => `${words[(i * 3) % 10]} ${words[i]}`

const vectors = { queries: at('queries.npy'), docs: at('docs.npy') }
const texts = { corpus: at('corpus.jsonl'), queryText: at('queries.jsonl') }
const files = { run: at('run.trec'), ...vectors, ...texts, workers: 1 }
const model = at('model')
const then = (first: number) => ({ thenCrossEncode: { model, first } })
let crossEncoder: CrossEncoder

const rerank = (more: Partial<RerankInputs>, out: string) =>
  rerankRun({ ...files, ...more, out: at(out) })

beforeAll(async () => {
  writeSmallCrossEncoder(model)
  crossEncoder = await loadCrossEncoder(model, { threads: 1 })
  const vector = (i: number) => Float32Array.from({ length: 8 }, (_, j) => Math.sin(i * 7 + j * j))
  for (const [name, letter, count, text] of [
    ['docs', 'd', DOCUMENTS, textOf],
    ['queries', 'q', QUERIES, queryOf],
  ] as const) {
    const ids = Array.from({ length: count }, (_, i) => `${letter}${i}`)
    const rows = ids.map((_, i) => vector(letter === 'd' ? i : i + 100))
    await writeEmbeddings(at(`${name}.npy`), { dimensions: 8, ids }, rows)
    const lines = ids.map((_id, i) => `${JSON.stringify({ _id, text: text(i) })}\n`)
    writeFileSync(at(name === 'docs' ? 'corpus.jsonl' : 'queries.jsonl'), lines.join(''))
  }
  await searchRun({ ...vectors, top: LISTED, out: at('run.trec'), workers: 1 })
  const judged = Array.from({ length: QUERIES }, (_, i) => `q${i} 0 d${i * 4} 1\n`)
  writeFileSync(at('qrels.trec'), judged.join(''))
  await rerank({}, 'reranked.trec')
})
afterAll(() => crossEncoder.close())

/** A ranking's documents, the first ones put in order by scores that are asked for here; and how many texts are cut. */
async function ordered({ query, ids }: RankedQuery, first: number) {
  const scored = ids.slice(0, first)
  const { scores, cut } = await crossEncoder.crossEncode(
    queryOf(Number(query.slice(1))),
    scored.map((id) => textOf(Number(id.slice(1)))),
  )
  const order = [...scored.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b)
  return { ids: [...order.map((place) => scored[place]!), ...ids.slice(first)], cut }
}

/** Checks a run against the one that the cross-encoder got. */
async function expectOrdered(after: string, before: string, first: number): Promise<number> {
  const [found, given] = [await readRun(at(after)), await readRun(at(before))]
  expect(found.queries).toEqual(given.queries)
  let [cuts, moved] = [0, 0]
  for (const ranking of given) {
    const { ids, cut } = await ordered(ranking, first)
    const { scores, ...better } = found.get(ranking.query)!
    expect(better).toEqual({ query: ranking.query, ids })
    // Every place keeps its score, in the precision that rankings have.
    expect(Float32Array.from(scores)).toEqual(Float32Array.from(ranking.scores))
    cuts += cut
    moved += ids[0] === ranking.ids[0] ? 0 : 1
  }
  expect(moved).toBeGreaterThan(0)
  return cuts
}

test('ranks the first documents by the cross-encoder, and keeps the order of the others', async () => {
  const [remarks, stages]: [string[], Set<string>] = [[], new Set()]
  const result = await rerankRun(
    { ...files, ...then(4), qrels: at('qrels.trec'), out: at('four.trec') },
    {
      onRemark: (remark) => remarks.push(remark),
      onProgress: ({ stage, done, total }) => {
        expect(total).toBe(QUERIES)
        if (done === total) stages.add(stage)
      },
    },
  )
  const cut = await expectOrdered('four.trec', 'reranked.trec', 4)
  expect(cut).toBeGreaterThan(0)
  expect(result.crossEncoded).toEqual({ texts: 4 * QUERIES, cut })
  expect(remarks).toContain(
    `${cut} of ${4 * QUERIES} texts were truncated to 24 tokens, query included`,
  )
  expect([...stages]).toEqual(['reranking', 'cross-encoding'])
  const { settings } = JSON.parse(read('four.trec.meta.json'))
  expect(settings.thenCrossEncode).toEqual({ model, first: 4 })
  expect(JSON.parse(read('reranked.trec.meta.json')).settings).not.toHaveProperty('thenCrossEncode')
  const runs = ['run.trec', 'reranked.trec', 'four.trec'].map(at)
  const { evaluations } = await evaluateRuns({ qrels: at('qrels.trec'), runs })
  expect(result.figures!.evaluations.map(({ name }) => name)).toEqual([
    'before',
    'reranked',
    'after',
  ])
  expect(result.figures!.evaluations.map(({ evaluation }) => evaluation)).toEqual(
    evaluations.map(({ evaluation }) => evaluation),
  )
  await rerank({ ...then(4), workers: 2 }, 'two-workers.trec')
  expect(read('two-workers.trec')).toBe(read('four.trec'))
})

test('a document keeps its columns in the order of the cross-encoder', async () => {
  await rerank({}, 'reranked.parquet')
  await rerank(then(4), 'four.parquet')
  const similarities = async (name: string) => {
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(at(name)) })
    return new Map(rows.map(({ qid, docid, similarity }) => [`${qid} ${docid}`, similarity]))
  }
  const before = await similarities('reranked.parquet')
  expect(before.size).toBe(QUERIES * LISTED)
  expect([...before.values()].every(Number.isFinite)).toBe(true)
  const after = await similarities('four.parquet')
  expect(after).toEqual(before)
  expect([...after.keys()]).not.toEqual([...before.keys()])
})

test('ranks all documents of shorter lists, also after another method', async () => {
  const feedback = { settings: { method: 'rocchio' } } as const
  await rerank(feedback, 'feedback.trec')
  await rerank({ ...feedback, ...then(100) }, 'feedback-ordered.trec')
  await expectOrdered('feedback-ordered.trec', 'feedback.trec', 100)
})

test('ranks a run that tuning advises to keep by the cross-encoder alone', async () => {
  const tuned = { verdict: 'keep-run', reason: 'nothing helps' } as Tuned
  const { kept, crossEncoded } = await rerank({ tuned, ...then(5) }, 'kept.json')
  expect([kept?.verdict, crossEncoded?.texts]).toEqual(['keep-run', 5 * QUERIES])
  await expectOrdered('kept.json', 'run.trec', 5)
})

test('reads the documents from a store', async () => {
  const store = at('lance')
  await loadStore({ store, docs: vectors.docs, corpus: texts.corpus })
  await rerank({ docs: undefined, corpus: undefined, store, ...then(4) }, 'store.trec')
  await expectOrdered('store.trec', 'reranked.trec', 4)
})

test('keeps documents without a text behind the others, or refuses them', async () => {
  const lines = read('corpus.jsonl').split('\n')
  const run = await readRun(at('run.trec'))
  const looked = new Set(Array.from(run, ({ ids }) => ids.slice(0, 2)).flat())
  const lacking = run
    .get('q2')!
    .ids.filter((id) => !looked.has(id))
    .slice(-2)
  const kept = lines.filter((line) => !lacking.some((id) => line.includes(`"${id}"`)))
  writeFileSync(at('holes.jsonl'), kept.join('\n'))
  const holes = { corpus: at('holes.jsonl'), ...then(100) }
  const { missing } = await rerank({ ...holes, missing: 'skip' }, 'holes.trec')
  expect(missing.map(({ what, count }) => [what, count])).toEqual([
    ['candidates of the run have no text', 2],
    ['documents for the cross-encoder have no text', 2],
  ])
  expect((await readRun(at('holes.trec'))).get('q2')!.ids.slice(-2)).toEqual(lacking)
  // The ranking looks at two candidates only, which have their texts.
  const few = { settings: { contextSize: 2 }, statistics: 'context' } as const
  await expect(rerank({ ...holes, ...few }, 'refused.trec')).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining('holes.jsonl'),
  })
})

test('names missing inputs before the ranking begins', async () => {
  const refused = (more: Partial<RerankInputs>) =>
    expect(rerank({ ...then(4), ...more }, 'refused.trec')).rejects
  const needed = 'a cross-encoder needs texts'
  await refused({ corpus: undefined, queryText: undefined }).toThrow(needed)
  await refused({ docs: undefined, store: 'lance', queryText: undefined }).toThrow(needed)
  await refused({ corpus: '-' }).toThrow(expect.objectContaining({ code: 'BAD_FILE' }))
  await refused(then(0)).toMatchObject({ code: 'BAD_SETTING' })
  await refused({ thenCrossEncode: { model: 'minilm', first: 4 } }).toThrow(
    expect.objectContaining({ code: 'BAD_FILE' }),
  )
  const submitted = { ...files, ...then(4), docs: undefined, store: 'postgres://localhost/none' }
  await expect(submitRerank(submitted, { name: 'b' })).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining('thenCrossEncode'),
  })
})

test('keeps an earlier output when stopped, and leaves no other file', async () => {
  writeFileSync(at('stopped.trec'), 'earlier')
  const before = readdirSync(folder)
  const stop = new AbortController()
  const work = rerankRun(
    { ...files, ...then(4), out: at('stopped.trec') },
    {
      signal: stop.signal,
      onProgress({ stage, done }) {
        if (stage === 'cross-encoding' && done > 0) stop.abort(new Error('enough'))
      },
    },
  )
  await expect(work).rejects.toMatchObject({ code: 'ABORTED' })
  expect(read('stopped.trec')).toBe('earlier')
  expect(readdirSync(folder)).toEqual(before)
})
