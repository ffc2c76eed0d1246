import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readRun, writeEmbeddings, writeRun } from '@kith/ir'
import { openStore } from '@kith/stores'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  adaptQueries,
  auditRun,
  evaluateRuns,
  labelRun,
  loadStore,
  rerankRun,
  searchRun,
  trainFromFiles,
  tuneRun,
} from '../src/index.ts'
import type { SearchInputs } from '../src/search/search-run.ts'

/** 40 queries and 400 documents of 20 topics; the documents also with lengths from 0.2 to 5. */
const folder = mkdtempSync(join(tmpdir(), 'kith-metric-'))
const at = (name: string): string => join(folder, name)
const dimensions = 16

let state = 7
function random(): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
  return state / 0x7fffffff
}

function unit(center: readonly number[], noise: number): number[] {
  const vector = center.map((value) => value + noise * (random() - 0.5))
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

const topics = Array.from({ length: 20 }, () =>
  Array.from({ length: dimensions }, () => random() - 0.5),
)
const queries = Array.from({ length: 40 }, (_, i) => unit(topics[i % 20]!, 0.9))
const docs = Array.from({ length: 400 }, (_, i) => unit(topics[i % 20]!, 0.9))
const long = docs.map((vector) => {
  const length = 25 ** random() / 5
  return vector.map((value) => value * length)
})

async function write(name: string, prefix: string, vectors: readonly number[][]): Promise<void> {
  const ids = vectors.map((_, i) => `${prefix}${i}`)
  await writeEmbeddings(at(name), { dimensions, ids }, [Float32Array.from(vectors.flat())])
}

async function search(out: string, file: string, metric: 'dot' | 'cosine'): Promise<void> {
  const files = { queries: at('queries.npy'), docs: at(file) }
  await searchRun({ ...files, out: at(out), top: 50, metric })
}

beforeAll(async () => {
  await write('queries.npy', 'q', queries)
  await write('unit.npy', 'd', docs)
  await write('long.npy', 'd', long)
  const relevant = queries.flatMap((_, q) =>
    docs.flatMap((_, d) => (d % 20 === q % 20 ? [`q${q} 0 d${d} 1`] : [])),
  )
  writeFileSync(at('qrels.trec'), `${relevant.join('\n')}\n`)
  for (const metric of ['dot', 'cosine'] as const) {
    await search(`${metric}.trec`, 'long.npy', metric)
    // A run that another program wrote has no sidecar.
    writeFileSync(at(`bare-${metric}.trec`), readFileSync(at(`${metric}.trec`)))
  }
  await search('unit.trec', 'unit.npy', 'dot')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function rerank(run: string, file: string, settings = {}, workers = 1) {
  const remarks: string[] = []
  const files = { run: at(run), queries: at('queries.npy'), docs: at(file) }
  const out = at(`out-${run}`)
  const { figures } = await rerankRun(
    { ...files, out, settings, workers, qrels: at('qrels.trec') },
    { onRemark: (remark) => remarks.push(remark) },
  )
  const orders = [...(await readRun(out))].map(({ ids }) => ids.join(' '))
  const { settings: made } = JSON.parse(readFileSync(`${out}.meta.json`, 'utf8'))
  return { remarks, figures: figures!, orders, metric: made.metric }
}

test('reranks a run in cosine order as one of unit vectors, with one remark', async () => {
  const expected = await rerank('unit.trec', 'unit.npy')
  expect(expected.remarks).toEqual([])
  for (const workers of [1, 2]) {
    const bare = await rerank('bare-cosine.trec', 'long.npy', {}, workers)
    expect(bare.orders).toEqual(expected.orders)
    expect(bare.metric).toBe('cosine')
    expect(bare.remarks).toEqual([
      expect.stringMatching(
        /^vectors differ in length; using metric cosine, which fits the order of the run better than dot \(100 % of pairs against \d/,
      ),
    ])
  }
  const known = await rerank('cosine.trec', 'long.npy')
  expect(known.orders).toEqual(expected.orders)
  expect(known.remarks).toEqual([
    `vectors differ in length; using metric cosine from ${at('cosine.trec')}.meta.json`,
  ])
})

test('reranks a run in the order of inner products by inner products', async () => {
  const explicit = await rerank('dot.trec', 'long.npy', { metric: 'dot' })
  expect(explicit.remarks).toEqual([])
  for (const run of ['bare-dot.trec', 'dot.trec']) {
    const found = await rerank(run, 'long.npy')
    expect(found.orders).toEqual(explicit.orders)
    expect(found.metric).toBe('dot')
  }
})

test('uses a metric that contradicts the order, with a remark', async () => {
  const { remarks, metric } = await rerank('bare-cosine.trec', 'long.npy', { metric: 'dot' })
  expect(metric).toBe('dot')
  expect(remarks).toEqual([expect.stringContaining('fits cosine better than dot')])
})

test('ignores a sidecar of another file with the same name', async () => {
  writeFileSync(at('stale.trec'), readFileSync(at('dot.trec')).subarray(0, -1))
  writeFileSync(at('stale.trec.meta.json'), readFileSync(at('cosine.trec.meta.json')))
  expect((await rerank('stale.trec', 'long.npy')).metric).toBe('dot')
})

test('uses the metric of the run for labels, audits and tuning', async () => {
  const files = { run: at('bare-cosine.trec'), queries: at('queries.npy'), qrels: at('qrels.trec') }
  const made = async (docs: string) => {
    const remarks: string[] = []
    const hooks = { onRemark: (remark: string) => remarks.push(remark) }
    const all = { ...files, docs: at(docs), workers: 1 }
    const [out, list, tuned] = [at(`${docs}.jsonl`), at(`${docs}.tsv`), at(`${docs}.tuned.json`)]
    await labelRun({ ...all, out }, hooks)
    await auditRun({ ...all, out: list }, hooks)
    const result = await tuneRun({ ...all, out: tuned, trials: 2, folds: 2 }, hooks)
    const kept = readFileSync(out, 'utf8').match(/"d\d+"/g)
    const audited = readFileSync(list, 'utf8').match(/^q\d+\td\d+/gm)
    const said = remarks.filter((remark) => remark.includes('using metric'))
    return { kept, audited, said: said.length, metric: result.tuned.settings.metric }
  }
  const [found, expected] = [await made('long.npy'), await made('unit.npy')]
  expect(found).toEqual({ ...expected, said: 3, metric: 'cosine' })
  expect(expected).toMatchObject({ said: 0, metric: 'auto' })
})

test('uses the metric of a store, and compares its documents like documents of a file', async () => {
  const address = at('docs.lance')
  const store = await openStore(address, { create: true })
  await store.add(long.map((vector, i) => ({ id: `d${i}`, vector: Float32Array.from(vector) })))
  expect(store.metric).toBe('dot')
  await store.close()
  const remarks: string[] = []
  const out = at('out-store.trec')
  await rerankRun(
    { run: at('bare-cosine.trec'), queries: at('queries.npy'), store: address, out },
    { onRemark: (remark) => remarks.push(remark) },
  )
  const expected = await rerank('unit.trec', 'unit.npy')
  expect([...(await readRun(out))].map(({ ids }) => ids.join(' '))).toEqual(expected.orders)
  expect(remarks.length).toBe(1)
})

test('searches held-out queries by cosine after training on a cosine run, and reports it', async () => {
  const remarks: string[] = []
  const { heldOut, metric } = await trainFromFiles(
    {
      docs: at('long.npy'),
      adapter: 'mlp',
      training: {
        queries: at('queries.npy'),
        run: at('bare-cosine.trec'),
        qrels: at('qrels.trec'),
      },
      settings: { steps: 2, learningRate: 2e-5 },
      out: at('trained'),
    },
    { onRemark: (remark) => remarks.push(remark) },
  )
  expect(metric).toBe('cosine')
  expect(remarks.filter((remark) => /cosine/.test(remark))).toEqual([
    expect.stringMatching(/^vectors differ in length; using metric cosine/),
    expect.stringMatching(/^training compares by inner product/),
  ])
  await adaptQueries({ adapter: at('trained'), queries: at('queries.npy'), out: at('after.npy') })
  const runs = [at('before.trec'), at('after.trec')]
  for (const [i, queries] of [at('queries.npy'), at('after.npy')].entries()) {
    await searchRun({ queries, docs: at('long.npy'), top: 100, metric: 'cosine', out: runs[i]! })
  }
  const { evaluations } = await evaluateRuns({ qrels: heldOut!.qrels!, runs })
  const { before, after } = heldOut!.measures['nDCG@10']!
  const means = evaluations.map(({ evaluation }) => evaluation.mean['nDCG@10'])
  expect([before, after]).toEqual(means.map((mean) => expect.closeTo(mean!, 6)))
})

test('prints no remark about metrics for unit vectors', async () => {
  const remarks: string[] = []
  const { metric } = await trainFromFiles(
    {
      docs: at('unit.npy'),
      adapter: 'mlp',
      training: { queries: at('queries.npy'), run: at('unit.trec'), qrels: at('qrels.trec') },
      settings: { steps: 1 },
      out: at('trained-unit'),
    },
    { onRemark: (remark) => remarks.push(remark) },
  )
  expect(metric).toBe('dot')
  expect(remarks.join()).not.toMatch(/cosine|inner product/)
})

test('reports once that documents differ in length if a search has no metric', async () => {
  const remarksOf = async (more: Omit<SearchInputs, 'queries' | 'out'>) => {
    const remarks: string[] = []
    const hooks = { onRemark: (remark: string) => remarks.push(remark) }
    await searchRun(
      { queries: at('queries.npy'), out: at('remarked.trec'), top: 20, ...more },
      hooks,
    )
    return remarks
  }
  const said = [
    'document vectors differ in length; searching by metric dot, which favors long vectors: pass metric cosine, or metric dot to confirm',
  ]
  await loadStore({ docs: at('long.npy'), store: at('lance#long') })
  await loadStore({ docs: at('long.npy'), store: at('lance#cosine'), metric: 'cosine' })
  await loadStore({ docs: at('unit.npy'), store: at('lance#unit') })
  expect(await remarksOf({ docs: at('long.npy') })).toEqual(said)
  expect(await remarksOf({ store: at('lance#long') })).toEqual(said)
  for (const place of [{ docs: at('long.npy') }, { store: at('lance#long') }]) {
    expect(await remarksOf({ ...place, metric: 'dot' })).toEqual([])
    expect(await remarksOf({ ...place, metric: 'cosine' })).toEqual([])
  }
  expect(await remarksOf({ store: at('lance#cosine') })).toEqual([])
  expect(await remarksOf({ docs: at('unit.npy') })).toEqual([])
  expect(await remarksOf({ store: at('lance#unit') })).toEqual([])
})

test('reranks a run whose order fits neither metric by cosine', async () => {
  const swapped = [...(await readRun(at('bare-dot.trec')))].map(({ query, ids, scores }) => {
    return { query, ids: ids.map((_, i) => ids[i ^ 1]!), scores }
  })
  await writeRun(at('swapped.trec'), swapped)
  const { metric, remarks } = await rerank('swapped.trec', 'long.npy')
  expect(metric).toBe('cosine')
  expect(remarks).toEqual([
    expect.stringMatching(
      /^vectors differ in length; using metric cosine, since the order of the run fits neither metric \(cosine \d+(\.\d)? % of pairs, dot \d+(\.\d)? %\)$/,
    ),
  ])
})
