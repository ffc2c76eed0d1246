/**
 * Measures what BM25 hits add to the hits of vector search, reranked together, and which similarity to
 * assume for hits without a vector.
 *
 *   node experiments/two-lists.mjs FOLDER [--run FILE] [--qrels FILE]
 *
 * FOLDER has corpus.jsonl, queries.jsonl and the embeddings of MiniLM with their run of 200.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { termStatistics } from '@kith/core'
import { merged, mergeHits, rerankFetched, rerankHits } from '@kith/hits'
import { evaluate, RunBuilder, readQrels, readRun, readTexts } from '@kith/ir'
import { searchBm25 } from './bm25.mjs'
import { openVectors, printGains, readPrepared } from './working-folder.mjs'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { run: { type: 'string' }, qrels: { type: 'string' } },
})
const [folder] = positionals
const embeddings = join(folder, 'embeddings/all-MiniLM-L6-v2')
const TOP = 200

const qrels = await readQrels(values.qrels ?? join(folder, 'qrels/test.tsv'))
const run = await readRun(values.run ?? join(embeddings, 'top200.run.trec'))
const vectors = await openVectors(folder, embeddings)
const texts = await readPrepared(folder)
const statistics = termStatistics(texts.documents.values())
const lexical = await searchWords()

/** The hits of a query in both lists, as stores would return them. */
function listsOf(query) {
  const reader = {
    id: ({ id }) => id,
    text: ({ id }) => texts.documents.get(id),
    score: ({ score }) => score,
  }
  const list = ({ ids, scores }) => ids.slice(0, TOP).map((id, i) => ({ id, score: scores[i] }))
  const withVectors = { ...reader, vector: ({ id }) => vectors.document(id) }
  const dense = { hits: list(run.get(query)), reader: withVectors }
  const words = { hits: list(lexical.get(query) ?? { ids: [], scores: [] }), reader }
  return { dense, words, complete: { ...words, reader: withVectors } }
}

/**
 * The value that replaces the similarity of a hit outside the dense list if its vector is not
 * available.
 */
const standIns = {
  nothing: { ...merged(), score: ({ scores: [dense] }) => dense },
  'the lowest of the dense list': merged(),
  'the fused score': { ...merged(), score: ({ fused }) => fused },
}

const asked = (query) => ({ vector: vectors.query(query), text: texts.queries.get(query) })
const plain = (hits) => hits.map((hit) => ({ hit }))
const bothOf = (query) => {
  const { dense, words } = listsOf(query)
  return mergeHits([dense, words])
}
/** Rankings to compare, each with the first of its group. */
const groups = {
  'no reranking': {
    'vector search': (query) => plain(listsOf(query).dense.hits),
    BM25: (query) => plain(listsOf(query).words.hits),
    'RRF of both': (query) => plain(bothOf(query)),
  },
  'first 50': rerankings({}),
  // Every hit then has the BM25 score of the search by words.
  'first 50, term statistics': rerankings({ statistics, settings: { preselect: 0 } }),
  '50 of 200, term statistics': { ...rerankings({ statistics }), ...fetchings() },
}

function rerankings(options) {
  const ways = {
    'vector search': (query) => {
      const { hits, reader } = listsOf(query).dense
      return rerankHits(asked(query), hits, reader, options)
    },
    'both, all vectors': (query) => {
      const { dense, complete } = listsOf(query)
      return rerankHits(asked(query), mergeHits([dense, complete]), merged(), options)
    },
  }
  for (const [name, reader] of Object.entries(standIns)) {
    ways[`both, vectors of the vector hits, ${name}`] = (query) =>
      rerankHits(asked(query), bothOf(query), reader, options)
  }
  return ways
}

function fetchings() {
  const vectorsOf = async (chosen) => chosen.map(({ id }) => vectors.document(id))
  return Object.fromEntries(
    Object.entries(standIns).map(([name, reader]) => [
      `both, vectors of the chosen 50, ${name}`,
      (query) =>
        rerankFetched(asked(query), bothOf(query), reader, { statistics, vectors: vectorsOf }),
    ]),
  )
}

async function measure(rank) {
  const builder = new RunBuilder()
  for (const query of run.queries) {
    if (!qrels.has(query)) continue
    const ids = (await rank(query)).map(({ hit }) => hit.id)
    builder.add({ query, ids, scores: Float64Array.from(ids, (_, i) => ids.length - i) })
  }
  return evaluate(qrels, builder.finish(), ['nDCG@10'])
}

for (const [name, ways] of Object.entries(groups)) {
  console.log(`\n${name}\n`)
  const measured = []
  for (const rank of Object.values(ways)) measured.push(await measure(rank))
  printGains(
    ['ranking'],
    Object.keys(ways).map((way) => [way]),
    measured,
  )
}

async function searchWords() {
  const documents = []
  for await (const document of readTexts(join(folder, 'corpus.jsonl'))) documents.push(document)
  const queries = []
  for await (const query of readTexts(join(folder, 'queries.jsonl'))) queries.push(query)
  return new Map(
    [...searchBm25(documents, queries, TOP, true)].map((found) => [found.query, found]),
  )
}
