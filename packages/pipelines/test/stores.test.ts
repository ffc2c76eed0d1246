import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openEmbeddings, writeEmbeddings } from '@kith/ir'
import { readLabelsParquet } from '@kith/ir/internal'
import { openStore } from '@kith/stores'
import { Batches } from '@kith/work'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { emptyDatabase, postgres } from '../../../test/postgres.ts'
import { exportBatch } from '../src/batches/export-batch.ts'
import { workBatches } from '../src/batches/work-batches.ts'
import { openCollectionWith } from '../src/collection/open-collection.ts'
import type { NamedEncoder } from '../src/encode/encode-texts.ts'
import type { Hooks } from '../src/job/hooks.ts'
import type { Missing } from '../src/join/missing.ts'
import type { StatisticsSource } from '../src/join/statistics.ts'
import { type LabelInputs, labelRun, submitLabels } from '../src/labels/label-run.ts'
import { loadStore } from '../src/load/load-store.ts'
import { collectBackground } from '../src/relevance/collect-background.ts'
import { type RerankInputs, rerankRun, submitRerank } from '../src/rerank/rerank-run.ts'
import { searchRun } from '../src/search/search-run.ts'
import { collectTermStatistics } from '../src/terms/collect-term-statistics.ts'
import { sizes, writeCollection } from './store-data.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const queries = path('queries.npy')
// Starting threads takes longer than this work; `parallel` has them where a store feeds them.
const inputs = { run: path('run.trec'), queries, workers: 1 }
const parallel = { ...inputs, workers: 2 }
const long = { run: path('long.trec'), queries, workers: 1 }
/** Queries of the long run. */
const LONG = 20
/** Queries that are searched for: LanceDB takes milliseconds for each. */
const searched = { file: path('searched.npy'), count: 40 }
/** The sources of term statistics, by the names of their files. */
const sources: Record<string, StatisticsSource> = {
  all: 'corpus',
  alone: 'context',
  half: { file: path('half.bin') },
}
const strange = { run: path('strange.trec'), queries, workers: 1, missing: 'skip' } as const
const queryText = path('queries.jsonl')
const qrels = path('qrels.trec')

/** Files with the same bytes. */
function expectEqual(name: string, other: string): void {
  expect(readFileSync(path(name)).equals(readFileSync(path(other))), name).toBe(true)
}

/** Hooks that keep the remarks. */
function heard(): Hooks & { remarks: string[] } {
  const remarks: string[] = []
  return { remarks, onRemark: (remark) => remarks.push(remark) }
}

let missingInFiles: { rerank: readonly Missing[]; labels: readonly Missing[] }

// What pipelines make of files is what they must make of every store.
beforeAll(async () => {
  await writeCollection(folder)
  const texts = readFileSync(path('corpus.jsonl'), 'utf8').split('\n')
  writeFileSync(path('half.jsonl'), texts.slice(0, 150).join('\n'))
  const [all, fewer] = [{ docs: path('all.npy') }, { docs: path('docs.npy') }]
  const corpus = path('corpus.jsonl')
  const whole = await openEmbeddings(queries)
  const rows = Array.from({ length: searched.count }, (_, i) => whole.read(i, i + 1).slice())
  const ids = rows.map((_, i) => `q${i}`)
  await writeEmbeddings(searched.file, { dimensions: sizes.dimensions, ids }, rows)
  await searchRun({ queries: searched.file, ...all, top: 5, out: path('near.trec'), workers: 1 })
  await rerankRun({ ...inputs, ...all, corpus, queryText, out: path('files.trec') })
  await labelRun({ ...inputs, ...all, qrels, out: path('files.jsonl.gz') })
  // So many candidates that some are chosen by their words.
  await searchRun({ queries, ...all, top: 240, out: long.run, workers: 1 })
  const lines = readFileSync(long.run, 'utf8').split('\n')
  writeFileSync(long.run, `${lines.slice(0, LONG * 240).join('\n')}\n`)
  await collectTermStatistics({ corpus: path('half.jsonl'), out: path('half.bin') })
  for (const [name, statistics] of Object.entries(sources)) {
    const out = path(`files-${name}.trec`)
    await rerankRun({ ...long, ...all, corpus, queryText, statistics, out })
  }
  // Without one document of the run, and with a query that has no embedding.
  const run = readFileSync(path('run.trec'), 'utf8')
  writeFileSync(path('strange.trec'), `${run}nobody Q0 d3 1 0.5 kith\n`)
  writeFileSync(path('more-qrels.trec'), `${readFileSync(qrels, 'utf8')}nobody 0 d3 1\n`)
  const more = path('more-qrels.trec')
  const reranked = await rerankRun({ ...strange, ...fewer, out: path('skip-files.trec') })
  const labeled = await labelRun({
    ...{ ...strange, ...fewer, qrels: more, out: path('skip-files.jsonl') },
  })
  missingInFiles = { rerank: reranked.missing, labels: labeled.missing }
  expect(missingInFiles.rerank).toEqual([
    { what: 'candidates of the run have no embedding', count: 1, first: ['poison'] },
    { what: 'queries of the run have no embedding', count: 1, first: ['nobody'] },
  ])
  expect(missingInFiles.labels).toEqual(missingInFiles.rerank)
})

const stores = [
  { name: 'LanceDB', address: () => path('lance'), there: true },
  { name: 'PostgreSQL', address: () => database.url, there: postgres },
]
const database = emptyDatabase()

describe.each(stores.filter(({ there }) => there))('$name', ({ name, address }) => {
  const run = (file: string): string => readFileSync(path(file), 'utf8')

  test('gives the same outputs as files', async () => {
    const store = address()
    const told: number[] = []
    const loaded = await loadStore(
      { store, docs: path('all.npy'), corpus: path('corpus.jsonl'), index: true },
      { onProgress: ({ done }) => told.push(done) },
    )
    expect(loaded).toMatchObject({ loaded: 301, documents: 301 })
    expect(told).toEqual([0, 301])
    const found = { queries: searched.file, top: 5, store }
    await searchRun({ ...found, exact: true, out: path(`${name}-near.trec`) })
    // Scores differ in their last digits, which no order of these documents depends on.
    const order = (file: string): string[] =>
      run(file)
        .split('\n')
        .map((line) => line.slice(0, 14))
    expect(order(`${name}-near.trec`)).toEqual(order('near.trec'))
    const filter = "id IN ('d1', 'd2', 'd3')"
    await searchRun({ ...found, filter, out: path(`${name}-few.trec`) })
    expect(run(`${name}-few.trec`).split('\n')).toHaveLength(searched.count * 3 + 1)
    await rerankRun({ ...parallel, store, queryText, out: path(`${name}.trec`) })
    expectEqual(`${name}.trec`, 'files.trec')
    const labeled = await labelRun({ ...parallel, store, qrels, out: path(`${name}.jsonl.gz`) })
    expectEqual(`${name}.jsonl.gz`, 'files.jsonl.gz')
    expect(labeled.missing).toEqual([])
  })

  test('chooses by words and the scores of the run as files do by their vectors', async () => {
    const order = (file: string): string[] =>
      run(file)
        .split('\n')
        .map((line) => line.split(' ').slice(0, 3).join(' '))
    for (const [source, statistics] of Object.entries(sources)) {
      const out = `${name}-${source}.trec`
      await rerankRun({ ...long, store: address(), queryText, statistics, out: path(out) })
      // Scores of a run are rounded, which no order of these documents depends on.
      expect(order(out), source).toEqual(order(`files-${source}.trec`))
    }
    const made = JSON.parse(run(`${name}-all.trec.meta.json`))
    expect(made.settings.statistics).toEqual({ documents: 301 })
    expect(order('files-all.trec')).not.toEqual(order('files-alone.trec'))
    expect(order('files-all.trec')).not.toEqual(order('files-half.trec'))
    // The store has english terms: others are refused, unless only the candidates' own count.
    const plural = { settings: { tokenizer: 'plural' }, queryText } as const
    const files = { docs: path('all.npy'), corpus: path('corpus.jsonl'), statistics: 'context' }
    const other = { ...long, ...plural, store: address(), out: path(`${name}-plural.trec`) }
    await expect(rerankRun(other)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining("'plural'"),
    })
    await rerankRun({ ...other, statistics: 'context' })
    await rerankRun({ ...long, ...plural, ...files, out: path('plural.trec') } as RerankInputs)
    expect(order(`${name}-plural.trec`)).toEqual(order('plural.trec'))
  })

  test('makes the background for estimated relevance when it is loaded', async () => {
    const store = `${address()}#with_background`
    const files = { docs: path('all.npy'), corpus: path('corpus.jsonl') }
    await loadStore({ store, ...files })
    const vector = Float32Array.from({ length: sizes.dimensions }, (_, i) => (i === 3 ? 1 : 0.1))
    const encoder = {
      ...{ name: 'same', dimensions: sizes.dimensions, close: async () => {} },
      encode: async () => ({ data: vector, rows: 1, dimensions: sizes.dimensions }),
    }
    const open = async () => ({ encoder, model: {} }) as unknown as NamedEncoder
    await using collection = await openCollectionWith(open, { store }, {})
    const [first] = await collection.search('topic 3', { topN: 1 })
    expect(first!.relevance).toBeGreaterThan(0)
    const kept = async () => {
      await using opened = await openStore(store)
      return await opened.background!()
    }
    const before = await kept()
    expect(before).toMatchObject({ documents: 301, dimensions: sizes.dimensions })
    const other = await collectBackground({ store, seed: 1, sample: 100 })
    expect(other.out).toMatch(/#with_background$/)
    expect((await kept())!.sample).toBe(other.sample)
    // A file of the same vectors has about the same figures.
    const file = await collectBackground({ docs: path('all.npy'), out: path('background.json') })
    expect(before!.pairs.mean).toBeCloseTo(file.pairs.mean, 6)
    const refused = collectBackground({ store, out: path('never.json') })
    await expect(refused).rejects.toMatchObject({ code: 'BAD_SETTING' })
  })

  test('skips and counts missing data as files do', async () => {
    const store = `${address()}#without_poison`
    await loadStore({ store, docs: path('docs.npy') })
    const refused = rerankRun({ ...strange, missing: 'error', store, out: path('refused.trec') })
    await expect(refused).rejects.toThrow(/poison|nobody/)
    const hooks = heard()
    const reranked = await rerankRun({ ...strange, store, out: path('skip.trec') }, hooks)
    expectEqual('skip.trec', 'skip-files.trec')
    expect(reranked.missing).toEqual(missingInFiles.rerank)
    expect(hooks.remarks).toContain('1 candidates of the run have no embedding: poison')
    const more = { qrels: path('more-qrels.trec'), out: path('skip.jsonl') }
    const labeled = await labelRun({ ...strange, ...more, store }, hooks)
    expectEqual('skip.jsonl', 'skip-files.jsonl')
    expect(labeled.missing).toEqual(missingInFiles.labels)
    expect(labeled.summary.leftOut['the query has no embedding']).toBe(1)
    expect(hooks.remarks.at(-1)).toBe('1 queries of the run have no embedding: nobody')
  })

  test('throws the reason if a load is stopped, and can be loaded again', async () => {
    const store = `${address()}#stopped`
    const stop = new AbortController()
    const reason = new Error('enough')
    const hooks = { signal: stop.signal, onProgress: () => stop.abort(reason) }
    await expect(loadStore({ store, docs: path('all.npy') }, hooks)).rejects.toMatchObject({
      code: 'ABORTED',
      cause: reason,
    })
    const loaded = await loadStore({ store, docs: path('all.npy') })
    expect(loaded).toMatchObject({ loaded: 301, documents: 301 })
  })

  test('resumes labels after a stop', async () => {
    const store = address()
    const stop = new AbortController()
    const reason = new Error('enough')
    const out = path(`${name}-stopped.jsonl.gz`)
    const hooks = { signal: stop.signal, onProgress: () => stop.abort(reason) }
    const job = { ...parallel, store, qrels, out }
    await expect(labelRun(job, hooks)).rejects.toMatchObject({ code: 'ABORTED', cause: reason })
    await labelRun(job)
    expectEqual(`${name}-stopped.jsonl.gz`, 'files.jsonl.gz')
  })
})

describe.runIf(postgres)('batches in PostgreSQL', () => {
  const store = (): string => `${database.url}#batches`
  beforeAll(() =>
    loadStore({ store: store(), docs: path('all.npy'), corpus: path('corpus.jsonl'), type: 'f32' }),
  )
  const listed = async () => {
    const batches = await Batches.open(database.url)
    try {
      return await batches.progress()
    } finally {
      await batches.close()
    }
  }

  test('give the same files as one machine, sidecars included', async () => {
    const jobSize = 50
    const from = { ...inputs, store: store() }
    const packed: Omit<LabelInputs, 'out'> = {
      ...{ ...from, qrels, queryText, texts: true, format: 'listwise' },
    }
    const columns: Omit<LabelInputs, 'out'> = {
      ...{ ...from, qrels, format: 'parquet', settings: { target: 'joint' } },
    }
    const submitted = await submitRerank({ ...from, queryText }, { name: 'ranks', jobSize })
    await submitRerank({ ...long, store: store(), queryText }, { name: 'chosen', jobSize })
    expect(submitted).toEqual({ name: 'ranks', queries: sizes.queries, jobs: 4, fresh: true })
    await submitLabels(packed, { name: 'packed', jobSize })
    await submitLabels(columns, { name: 'columns', jobSize })
    expect(await submitLabels(columns, { name: 'columns', jobSize })).toMatchObject({
      fresh: false,
    })
    const hooks = heard()
    const worked = await workBatches({ store: store(), untilEmpty: true }, hooks)
    const queries = 3 * sizes.queries + LONG
    expect(worked).toEqual({ queries, failures: 0, left: 0, missing: [] })
    expect(hooks.remarks).toContain('ranks: 50 queries done')
    const all = await listed()
    expect(all).toHaveLength(4)
    expect(all[0]).toMatchObject({
      name: 'ranks',
      kind: 'rerank',
      done: sizes.queries,
      failures: [],
    })
    expect(all[0]!.rate).toBeGreaterThan(0)
    const alone: [name: string, ending: string, run: (out: string) => Promise<unknown>][] = [
      ['ranks', 'trec', (out) => rerankRun({ ...from, queryText, out })],
      ['chosen', 'trec', (out) => rerankRun({ ...long, store: store(), queryText, out })],
      ['packed', 'jsonl.gz', (out) => labelRun({ ...packed, out })],
      ['columns', 'parquet', (out) => labelRun({ ...columns, out })],
    ]
    for (const [name, ending, run] of alone) {
      const [one, many] = [`one-${name}.${ending}`, `many-${name}.${ending}`]
      await run(path(one))
      const exported = await exportBatch({ store: store(), name, out: path(many) })
      expect(exported).toEqual({
        out: path(many),
        queries: name === 'chosen' ? LONG : sizes.queries,
      })
      expectEqual(many, one)
      expectEqual(`${many}.meta.json`, `${one}.meta.json`)
    }
    expectEqual('many-ranks.trec', 'files.trec')
    let labeled = 0
    for await (const { docs } of readLabelsParquet(path('many-columns.parquet'))) {
      labeled += docs.length > 0 ? 1 : 0
    }
    expect(labeled).toBe(0.9 * sizes.queries)
  })

  test('report missing data in a remark for each job, and all of it in the result', async () => {
    const from = { ...strange, store: `${database.url}#without_poison` }
    await submitRerank(from, { name: 'some-ranks', jobSize: 150 })
    const more = { ...from, qrels: path('more-qrels.trec') }
    await submitLabels(more, { name: 'some-labels', jobSize: 150 })
    const hooks = heard()
    const { missing, failures } = await workBatches(
      { store: database.url, untilEmpty: true, workers: 1 },
      hooks,
    )
    expect(failures).toBe(0)
    expect(missing).toEqual(missingInFiles.rerank)
    const remarks = hooks.remarks.filter((remark) => remark.includes('have no embedding'))
    expect(remarks.toSorted()).toEqual(
      ['some-labels', 'some-ranks'].flatMap((batch) => [
        `${batch}: 1 candidates of the run have no embedding: poison`,
        `${batch}: 1 queries of the run have no embedding: nobody`,
      ]),
    )
    await exportBatch({ store: database.url, name: 'some-ranks', out: path('some.trec') })
    expectEqual('some.trec', 'skip-files.trec')
    await exportBatch({ store: database.url, name: 'some-labels', out: path('some.jsonl') })
    expectEqual('some.jsonl', 'skip-files.jsonl')
  })

  test('are refused if they are impossible', async () => {
    const shard = { index: 1, count: 2 }
    const shared = submitLabels({ ...inputs, qrels, store: store(), shard }, { name: 'x' })
    await expect(shared).rejects.toMatchObject({
      code: 'BAD_SETTING',
      message: expect.stringContaining('shard'),
    })
    const files = submitLabels({ ...inputs, qrels, docs: path('all.npy') }, { name: 'x' })
    await expect(files).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('store'),
    })
    await expect(workBatches({ store: path('lance') })).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('PostgreSQL'),
    })
    const corpus = path('corpus.jsonl')
    const texts = labelRun({ ...inputs, qrels, store: store(), corpus, out: path('x') })
    await expect(texts).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('corpus'),
    })
    const terms = { ...long, queryText, store: store(), statistics: { file: path('half.bin') } }
    await expect(submitRerank(terms, { name: 'x' })).rejects.toMatchObject({ code: 'BAD_INPUT' })
    const none = submitLabels({ ...inputs, qrels, store: store(), texts: true }, { name: 'x' })
    await expect(none).rejects.toMatchObject({
      code: 'BAD_SETTING',
      message: expect.stringContaining('queryText'),
    })
  })
})
