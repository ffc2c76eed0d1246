/**
 * Gives vectors of different lengths, in the order of a search by cosine, to every entry point that
 * takes candidates. The result must be that for the same vectors of unit length.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createKith } from '@kith/ai-sdk'
import { auditCandidates, rerank, smoothLabels, termStatistics } from '@kith/core'
import { resolveSettings } from '@kith/core/internal'
import { rerankHits } from '@kith/hits'
import { readRun, writeEmbeddings, writeRun } from '@kith/ir'
import { KithRerank } from '@kith/langchain'
import { auditRun } from '@kith/pipelines/audit'
import { Collection } from '@kith/pipelines/collection'
import { labelRun } from '@kith/pipelines/labels'
import { loadStore } from '@kith/pipelines/load'
import { rerankRun } from '@kith/pipelines/rerank'
import { searchRun } from '@kith/pipelines/search'
import { trainFromFiles } from '@kith/pipelines/train'
import { tuneRun } from '@kith/pipelines/tune'
import { startServer } from '@kith/server'
import { openSearchStore } from '@kith/stores/internal'
import { Document } from '@langchain/core/documents'
import { seeded } from './mutate.mjs'

const DIMENSIONS = 12

/** The scores of two results may differ by rounding. */
const CLOSE = 2e-3

/** Every entry point: from a case to the scores, or the ids, that it gives. */
const entries = {
  rerank: ({ query, vectors }) => scored(rerank(query, vectors)),
  'rerank with words': (one) => scored(rerank(asked(one), worded(one))),
  'rerank with statistics': (one) =>
    scored(
      rerank(asked(one), worded(one), {
        statistics: termStatistics(one.texts),
        preselect: 40,
        contextSize: 10,
      }),
    ),
  smoothLabels: ({ query, vectors }) => [
    ...smoothLabels(query, vectors, { candidates: [1] }).evidence,
  ],
  auditCandidates: ({ query, vectors }) =>
    auditCandidates(
      query,
      vectors,
      vectors.map((_, i) => (i === 1 ? 1 : undefined)),
    ).map(({ candidate }) => candidate),
  rerankHits: (one) => {
    const hits = one.vectors.map((vector, i) => ({ vector, text: one.texts[i] }))
    const read = { vector: (hit) => hit.vector, text: (hit) => hit.text }
    return byIndex(rerankHits(asked(one), hits, read), ({ score }) => score)
  },
  langchain: async (one) => {
    const embeddings = { embedQuery: async () => one.query, embedDocuments: async () => [] }
    const reranker = new KithRerank({ embeddings, vector: 'vector' })
    const documents = one.vectors.map(
      (vector, index) =>
        new Document({ pageContent: one.texts[index], metadata: { vector, index } }),
    )
    const found = await reranker.compressDocuments(documents, one.text)
    return byIndex(
      found.map(({ metadata }) => metadata),
      ({ relevanceScore }) => relevanceScore,
    )
  },
  'ai-sdk': async (one) => {
    const values = one.vectors.map((embedding, i) => ({ text: one.texts[i], embedding }))
    const { ranking } = await createKith()
      .rerankingModel()
      .doRerank({
        documents: { type: 'object', values },
        query: one.text,
        providerOptions: { kith: { embedding: one.query } },
      })
    return byIndex(ranking, ({ relevanceScore }) => relevanceScore)
  },
  'server /rerank': async (one) => {
    const response = await fetch(`${one.server.url}/rerank`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        query: { text: one.text, embedding: one.query },
        documents: one.vectors.map((embedding, i) => ({ text: one.texts[i], embedding })),
      }),
    })
    const body = await response.json()
    if (!body.results) throw new Error(JSON.stringify(body))
    return byIndex(body.results, ({ relevance_score }) => relevance_score)
  },
  'files: rerank, labels, audit': async (one) => {
    const files = await write(one)
    await rerankRun({ ...files, qrels: undefined, out: join(one.folder, 'out.trec') })
    await labelRun({ ...files, out: join(one.folder, 'labels.jsonl') })
    await auditRun({ ...files, out: join(one.folder, 'audit.tsv') })
    const [ranking] = await readRun(join(one.folder, 'out.trec'))
    const documents = (name) => readFileSync(join(one.folder, name), 'utf8').match(/\bd\d+\b/g)
    return [...ranking.ids, ...documents('labels.jsonl'), ...documents('audit.tsv')]
  },
  'a store loaded for cosine: search, rerank': async (one) => {
    const { queries, docs } = await write(one)
    const [store, run, out] = ['lance', 'stored.trec', 'out.trec'].map((n) => join(one.folder, n))
    await loadStore({ docs, store, metric: 'cosine' })
    await searchRun({ queries, store, out: run })
    await rerankRun({ run, queries, store, out })
    const [[found], [ranking]] = [await readRun(run), await readRun(out)].map((made) => [...made])
    return [...found.ids, ...ranking.ids]
  },
  'a collection by cosine': async (one) => {
    const { docs } = await write(one)
    const data = Float32Array.from(one.query)
    const encoder = {
      encode: async () => ({ data, rows: 1, dimensions: DIMENSIONS, cut: 0 }),
      close: async () => {},
    }
    const settings = resolveSettings({ metric: 'cosine' })
    const collection = new Collection(await openSearchStore(docs), encoder, settings)
    const found = await collection.search(one.text)
    await collection.close()
    return found.map(({ id }) => id)
  },
  'train: held-out figures before, tune: gain': async (one) => {
    const files = await writeMany(one)
    const { queries, docs, run, qrels } = files
    const { heldOut } = await trainFromFiles({
      ...{ docs, training: { queries, run, qrels }, adapter: 'mlp', holdOut: 0.5 },
      ...{ settings: { steps: 1 }, out: join(one.folder, 'trained') },
    })
    const out = join(one.folder, 'tuned.json')
    const { tuned } = await tuneRun({ ...files, out, trials: 2, folds: 2, workers: 1 })
    return [...Object.values(heldOut.measures).map(({ before }) => before), tuned.heldOut.gain]
  },
}

/** The problems of some seeds, one for each entry point that gives another result. */
export async function attackLengths(folder, seed, rounds) {
  const problems = []
  const server = await startServer({ port: 0 })
  try {
    for (let round = 0; round < rounds; round++) {
      const { unit, long } = caseOf(seeded(seed * 7919 + round))
      for (const [name, run] of Object.entries(entries)) {
        const own = { folder: join(folder, 'lengths'), server }
        const [expected, found] = [await run({ ...unit, ...own }), await run({ ...long, ...own })]
        if (!same(expected, found)) problems.push({ name, round, seed })
      }
    }
    return { cases: rounds * Object.keys(entries).length, problems }
  } finally {
    await server.close()
  }
}

/** A query and candidates in cosine order, of unit length and of lengths from 0.1 to 10. */
function caseOf(next) {
  const random = () => next(1e6) / 1e6
  const draw = () => {
    const vector = Array.from({ length: DIMENSIONS }, (_, j) => (j === 0 ? 1 : random() - 0.5))
    return scale(vector, 1 / Math.hypot(...vector))
  }
  const query = draw()
  const count = 2 + Math.floor(random() * 45)
  const near = (vector) => vector.reduce((sum, value, j) => sum + value * query[j], 0)
  const vectors = Array.from({ length: count }, draw).sort((a, b) => near(b) - near(a))
  const texts = vectors.map((_, i) => `bee ${i % 5} flower ${i % 7}`)
  const length = () => 100 ** random() / 10
  return {
    unit: { query, vectors, texts, text: 'bee 3' },
    long: {
      query: scale(query, length()),
      vectors: vectors.map((one) => scale(one, length())),
      texts,
      text: 'bee 3',
    },
  }
}

function scale(vector, factor) {
  return vector.map((value) => value * factor)
}

function asked({ query, text }) {
  return { vector: query, text }
}

function worded({ vectors, texts }) {
  return { vectors, texts }
}

function scored({ order, scores }) {
  return byIndex(
    [...order].map((index, place) => ({ index, score: scores[place] })),
    ({ score }) => score,
  )
}

function byIndex(list, value) {
  return [...list].sort((a, b) => a.index - b.index).map(value)
}

/** The files of a run without a sidecar. */
async function write({ folder, query, vectors }) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const file = (name) => join(folder, name)
  const ids = vectors.map((_, i) => `d${i}`)
  await writeEmbeddings(file('queries.npy'), { dimensions: DIMENSIONS, ids: ['q'] }, [
    Float32Array.from(query),
  ])
  await writeEmbeddings(file('docs.npy'), { dimensions: DIMENSIONS, ids }, [
    Float32Array.from(vectors.flat()),
  ])
  await writeRun(file('run.trec'), [{ query: 'q', ids, scores: ids.map((_, i) => -i) }])
  writeFileSync(file('qrels.trec'), 'q 0 d1 1\n')
  return {
    run: file('run.trec'),
    queries: file('queries.npy'),
    docs: file('docs.npy'),
    qrels: file('qrels.trec'),
  }
}

/** The same for a query beside each axis, in a run of all documents by cosine without a sidecar. */
async function writeMany(one) {
  const { folder, query, vectors } = one
  const files = await write(one)
  const length = Math.hypot(...query)
  const near = query.map((_, axis) => query.map((value, j) => value + (j === axis ? length : 0)))
  const ids = near.map((_, i) => `q${i}`)
  const data = Float32Array.from(near.flat())
  await writeEmbeddings(files.queries, { dimensions: DIMENSIONS, ids }, [data])
  const out = join(folder, 'searched.trec')
  await searchRun({ queries: files.queries, docs: files.docs, out, metric: 'cosine' })
  copyFileSync(out, files.run)
  writeFileSync(files.qrels, ids.map((id, i) => `${id} 0 d${i % vectors.length} 1\n`).join(''))
  return files
}

function same(expected, found) {
  if (expected.length !== found.length) return false
  return expected.every((value, i) =>
    typeof value === 'number' ? Math.abs(value - found[i]) <= CLOSE : value === found[i],
  )
}
