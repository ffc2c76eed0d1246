/**
 * What ways to put the hits of a search in order gain and cost, side by side: nDCG@10 and milliseconds
 * per query on several collections.
 *
 *   node experiments/honest-table.mjs FOLDER... [--cross-encoder MODEL] [--timed 10] [--work FOLDER]
 *
 * FOLDER has corpus.jsonl, queries.jsonl and qrels: one of ../shared/data, or demo-output/wordnet-half,
 * which `npm run demo` makes. MODEL is a folder or a name on the hub, such as
 * cross-encoder/ms-marco-MiniLM-L-6-v2. `random` is a checkpoint of that layout with random weights,
 * for machines without a connection: its time is the real one's, its rankings mean nothing, so that
 * their quality is not measured.
 *
 * Milliseconds are medians over queries (--timed says how many a cross-encoder reads for it), one at a
 * time, the ways in turns, on one thread. They begin when the searches are done and the hits are in
 * memory, with vectors, texts and their terms, and end with the new order. So encoding the query,
 * searching by vectors and by words, and reading hits from a store are not in them; the tokenizer of
 * the cross-encoder is.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { termStatistics } from '@kith/core'
import { loadCrossEncoder } from '@kith/encoder'
import { merged, mergeHits, rerankHits } from '@kith/hits'
import { evaluate, RunBuilder, readRun, readTexts } from '@kith/ir'
import { crossEncoderOrder } from '@kith/pipelines/rerank'
import { sideBySide } from '../bench/measure.mjs'
import { writeRandomCrossEncoder } from '../bench/random-cross-encoder.mjs'
import { searchBm25 } from './bm25.mjs'
import { makeWorkingFolder, openVectors, readPrepared } from './working-folder.mjs'

const REAL = 'cross-encoder/ms-marco-MiniLM-L-6-v2'
const TOP = 200

const { positionals: folders, values } = parseArgs({
  allowPositionals: true,
  options: {
    'cross-encoder': { type: 'string' },
    timed: { type: 'string', default: '10' },
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
    const { fast, reading } = waysToRank(statistics)
    const times = {
      ...(await sideBySide(fast, queries, queries.length)),
      ...(await sideBySide(reading, queries, Number(values.timed))),
    }
    const figures = {}
    for (const [row, rank] of Object.entries({ ...fast, ...reading })) {
      const meaningless = random && row in reading
      figures[row] = meaningless ? 'not measured' : await quality(rank, queries, qrels)
    }
    columns.push({ name: basename(folder), figures, times })
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
  return {
    fast: {
      'plain search': plain,
      'RRF with BM25': merge,
      Kith: reranked,
      'Kith on hybrid hits': (query) => kith(query, merge(query), merged()),
    },
    reading: model
      ? {
          'cross-encoder on the first 10': thenCrossEncode(plain, 10),
          'Kith, then cross-encoder on the first 10': thenCrossEncode(reranked, 10),
          'cross-encoder on the first 50': thenCrossEncode(plain, 50),
        }
      : {},
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

async function quality(rank, queries, qrels) {
  const builder = new RunBuilder()
  for (const query of queries) {
    const ids = (await rank(query)).map(({ id }) => id)
    builder.add({ query: query.id, ids, scores: ids.map((_, place) => -place) })
  }
  return evaluate(qrels, builder.finish(), ['nDCG@10']).mean['nDCG@10'].toFixed(4)
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

function print(columns) {
  const shown = (time) => time.toFixed(time < 10 ? 2 : 0)
  for (const [title, cell] of [
    ['nDCG@10', ({ figures }, row) => figures[row]],
    ['milliseconds per query', ({ times }, row) => shown(times[row])],
  ]) {
    console.log(`\n| ${[title, ...columns.map(({ name }) => name)].join(' | ')} |`)
    console.log(`|${'---|'.repeat(columns.length + 1)}`)
    for (const row of Object.keys(columns[0].figures)) {
      console.log(`| ${[row, ...columns.map((column) => cell(column, row))].join(' | ')} |`)
    }
  }
  if (random) {
    console.log(`\nWeights not at hand: for the quality, run with --cross-encoder ${REAL}`)
  }
}
