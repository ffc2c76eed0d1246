/**
 * What ways to put the hits of a search in order gain and cost, side by side: nDCG@10 and milliseconds
 * per query on several collections.
 *
 *   node experiments/honest-table.mjs FOLDER... [--cross-encoder MODEL] [--timed 40] [--work FOLDER]
 *
 * FOLDER has corpus.jsonl, queries.jsonl and qrels: one of ../shared/data, or demo-output/wordnet-half,
 * which `npm run demo` makes. MODEL is a folder or a name on the hub, such as
 * cross-encoder/ms-marco-MiniLM-L-6-v2. `random` is a checkpoint of that layout with random weights,
 * for machines without a connection: its time is the real one's, its rankings mean nothing, so that
 * their quality is not measured; --timed says on how many queries its time is.
 *
 * Milliseconds are medians over queries, one at a time, on one thread. They begin when the searches are
 * done and the hits are in memory, with vectors, texts and their terms, and end with the new order.
 * So encoding the query, searching by vectors and by words, and reading hits from a store are not in
 * them; the tokenizer of the cross-encoder is.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { termStatistics } from '@kith/core'
import { loadCrossEncoder } from '@kith/encoder'
import { merged, mergeHits, rerankHits } from '@kith/hits'
import { evaluate, RunBuilder, readRun, readTexts } from '@kith/ir'
import { crossEncoderOrder } from '@kith/pipelines/internal/rerank/cross-encoder-order'
import { median } from '../bench/measure.mjs'
import { writeRandomCrossEncoder } from '../bench/random-cross-encoder.mjs'
import { searchBm25 } from './bm25.mjs'
import { makeWorkingFolder, openVectors, readPrepared } from './working-folder.mjs'

const REAL = 'cross-encoder/ms-marco-MiniLM-L-6-v2'
const TOP = 200
/** Queries before those that are timed. */
const WARM = 3

const { positionals: folders, values } = parseArgs({
  allowPositionals: true,
  options: {
    'cross-encoder': { type: 'string' },
    timed: { type: 'string', default: '40' },
    work: { type: 'string', default: '.kith-experiments/ranking' },
  },
})
const absent = folders.find((folder) => !existsSync(join(folder, 'corpus.jsonl')))
if (folders.length === 0 || absent) {
  const half = 'demo-output/wordnet-half is made by: npm run demo'
  console.error(absent ? `${absent} has no corpus.jsonl (${half})` : `name collections (${half})`)
  process.exit(2)
}
const named = values['cross-encoder']
const random = named === 'random'
const temporary = mkdtempSync(join(tmpdir(), 'kith-table-'))
const reader = {
  id: ({ id }) => id,
  vector: ({ vector }) => vector,
  text: ({ terms }) => terms,
  score: ({ score }) => score,
}
const merge = ({ dense, words }) =>
  mergeHits([
    { hits: dense, reader },
    { hits: words, reader },
  ])

let model
try {
  if (named !== undefined) {
    const from = random ? await writeRandomCrossEncoder(temporary) : named
    model = await loadCrossEncoder(from, { threads: 1 })
  }
  const columns = []
  for (const folder of folders) {
    const { queries, qrels, statistics } = await openCollection(folder)
    const column = { name: basename(folder), figures: new Map(), times: new Map() }
    for (const [row, rank] of Object.entries(waysToRank(statistics))) {
      const { figure, time } = await measure(rank, row, queries, qrels)
      column.figures.set(row, figure)
      column.times.set(row, time)
    }
    columns.push(column)
  }
  print(columns)
} finally {
  await model?.close()
  rmSync(temporary, { recursive: true, force: true })
}

/** The ways, each from a query with its hits to hits in their order. */
function waysToRank(statistics) {
  const kith = (query, hits, from) =>
    rerankHits(query.asked, hits, from, { statistics }).map(({ hit }) => hit)
  const plain = ({ dense }) => dense
  const reranked = (query) => kith(query, query.dense, reader)
  const ways = {
    'plain search': plain,
    'RRF with BM25': merge,
    Kith: reranked,
    'Kith on hybrid hits': (query) => kith(query, merge(query), merged()),
  }
  if (!model) return ways
  return {
    ...ways,
    'cross-encoder on the first 10': thenCrossEncode(plain, 10),
    'Kith, then cross-encoder on the first 10': thenCrossEncode(reranked, 10),
    'cross-encoder on the first 50': thenCrossEncode(plain, 50),
  }
}

/** What `kith rerank --then-cross-encode` does behind a ranking. */
function thenCrossEncode(rank, count) {
  return async (query) => {
    const hits = rank(query)
    const first = hits.slice(0, count)
    const texts = first.map(({ text }) => text)
    const { order } = await crossEncoderOrder(model, query.text, texts)
    return [...order.map((place) => first[place]), ...hits.slice(count)]
  }
}

async function measure(rank, row, queries, qrels) {
  const reads = row.includes('cross-encoder')
  // A first round over all queries warms up what is fast.
  const warm = queries.slice(0, reads ? WARM : undefined)
  for (const query of warm) await rank(query)
  const builder = new RunBuilder()
  const times = []
  for (const query of random && reads ? queries.slice(0, Number(values.timed)) : queries) {
    const start = performance.now()
    const found = rank(query)
    const hits = found instanceof Promise ? await found : found
    times.push(performance.now() - start)
    const ids = hits.map(({ id }) => id)
    builder.add({ query: query.id, ids, scores: ids.map((_, place) => -place) })
  }
  const evaluation = random && reads ? undefined : evaluate(qrels, builder.finish(), ['nDCG@10'])
  return {
    figure: evaluation?.mean['nDCG@10'].toFixed(4) ?? 'not measured',
    time: row === 'plain search' ? '' : shownTime(median(times)),
  }
}

/** The judged queries of a collection with the hits of both searches, as stores would return them. */
async function openCollection(folder) {
  const made = await makeWorkingFolder(folder, { work: values.work })
  const { qrels, own, corpus, queryText } = made
  const run = await readRun(made.run)
  const vectors = await openVectors(folder, own)
  const prepared = await readPrepared(folder)
  const [documents, asked] = [await textsOf(corpus), await textsOf(queryText)]
  const lexical = new Map()
  for (const found of searchBm25([...documents.values()], [...asked.values()], TOP)) {
    lexical.set(found.query, found)
  }
  const known = new Map()
  const documentOf = (id) => {
    if (!known.has(id)) {
      const { title, text } = documents.get(id)
      const whole = title ? `${title} ${text}` : text
      known.set(id, {
        id,
        text: whole,
        vector: vectors.document(id),
        terms: prepared.documents.get(id),
      })
    }
    return known.get(id)
  }
  const hitsOf = ({ ids, scores }) =>
    ids.slice(0, TOP).map((id, i) => ({ ...documentOf(id), score: scores[i] }))
  const queries = Array.from(run, (ranking) => {
    const { query: id } = ranking
    return {
      id,
      text: asked.get(id).text,
      asked: { vector: vectors.query(id), text: prepared.queries.get(id) },
      dense: hitsOf(ranking),
      words: hitsOf(lexical.get(id) ?? { ids: [], scores: [] }),
    }
  })
  return { queries, qrels, statistics: termStatistics(prepared.documents.values()) }
}

async function textsOf(file) {
  const texts = new Map()
  for await (const entry of readTexts(file)) texts.set(entry.id, entry)
  return texts
}

function shownTime(time) {
  return time < 10 ? time.toFixed(2) : time.toFixed(0)
}

function print(columns) {
  for (const [title, part] of [
    ['nDCG@10', 'figures'],
    ['milliseconds per query', 'times'],
  ]) {
    console.log(`\n| ${[title, ...columns.map(({ name }) => name)].join(' | ')} |`)
    console.log(`|${'---|'.repeat(columns.length + 1)}`)
    for (const row of columns[0][part].keys()) {
      console.log(`| ${[row, ...columns.map((column) => column[part].get(row))].join(' | ')} |`)
    }
  }
  if (random) {
    console.log(`\nWeights not at hand: for the quality, run with --cross-encoder ${REAL}`)
  }
}
