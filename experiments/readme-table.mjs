/**
 * Makes the README's table: nDCG@10 and milliseconds per query of vector search, BM25, both fused, Kith
 * and, if named, a cross-encoder, with paired t-tests.
 *
 *   node experiments/readme-table.mjs DATASET... [--cross-encoder MODEL] [--timed 10] [--work FOLDER]
 *
 * DATASET is a folder with corpus.jsonl, queries.jsonl and qrels/test.tsv (or dev.tsv): one of
 * ../shared/data, or demo-output/wordnet-half, which `npm run demo` makes. MODEL is a folder or a name
 * on the Hugging Face hub, such as cross-encoder/ms-marco-MiniLM-L-6-v2. `random` is a model of the
 * same layout with random weights, for machines without a connection: its latency equals the latency of the real
 * model, its rankings mean nothing and are not evaluated.
 *
 * Milliseconds are medians over queries (a cross-encoder reads --timed of them), one query at a time on
 * one thread, the rankings in turns. The clock starts when the hits are in memory with vectors, texts
 * and tokens, and stops with the new order: encoding the query, both searches, and fetching hits from
 * a store are not included; the tokenizer of the cross-encoder is.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { termStatistics } from '@kith/core'
import { loadCrossEncoder } from '@kith/encoder'
import { merged, mergeHits, rerankHits } from '@kith/hits'
import { compare, evaluate, RunBuilder, readRun, readTexts } from '@kith/ir'
import { formatP, holm, markOf } from '@kith/ir/internal'
import { sideBySide } from '../bench/measure.mjs'
import { writeRandomCrossEncoder } from '../bench/random-cross-encoder.mjs'
import { searchBm25 } from './bm25.mjs'
import { makeWorkingFolder, openVectors, readPrepared } from './working-folder.mjs'

const REAL = 'cross-encoder/ms-marco-MiniLM-L-6-v2'
const TOP = 200
const MEASURE = 'nDCG@10'
const [VECTOR, KITH] = ['vector search', 'Kith']

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
  console.error(
    absent ? `${absent} has no corpus.jsonl (${half})` : `expected at least one DATASET (${half})`,
  )
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
const merge = ({ dense, lexical }) =>
  mergeHits([
    { hits: dense, reader },
    { hits: lexical, reader },
  ])

let model
try {
  if (named !== undefined) {
    const from = random ? await writeRandomCrossEncoder(temporary) : named
    model = await loadCrossEncoder(from, { threads: 1 })
  }
  const columns = []
  for (const folder of folders) {
    const { queries, split, qrels, statistics } = await openDataset(folder)
    const { fast, reading } = waysToRank(statistics)
    const times = {
      ...(await sideBySide(fast, queries, queries.length)),
      ...(await sideBySide(reading, queries, Number(values.timed))),
    }
    const evaluations = {}
    for (const [row, rank] of Object.entries(random ? fast : { ...fast, ...reading })) {
      evaluations[row] = await evaluateRanking(rank, queries, qrels)
    }
    columns.push({ name: `${basename(folder)} ${split}`, evaluations, times })
  }
  print(columns)
} finally {
  await model?.close()
  rmSync(temporary, { recursive: true, force: true })
}

/** The rankings by name, each from a query with its hits to the hits in their new order. */
function waysToRank(statistics) {
  const kith = (query, hits, from, settings) =>
    rerankHits(query.asked, hits, from, { statistics, settings }).map(({ hit }) => hit)
  const plain = ({ dense }) => dense
  const reranked = (query) => kith(query, query.dense, reader)
  return {
    fast: {
      [VECTOR]: plain,
      BM25: ({ lexical }) => lexical,
      'BM25 + vector search (RRF)': merge,
      'dense + BM25 score fusion': (query) =>
        kith(query, query.dense, reader, { method: 'fusion' }),
      'Kith without neighbors and support': (query) =>
        kith(query, query.dense, reader, { neighborWeight: 0, supportWeight: 0 }),
      [KITH]: reranked,
      'Kith on RRF hits': (query) => kith(query, merge(query), merged()),
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

/** Reranks the first hits of a ranking by a cross-encoder, as `kith rerank --then-cross-encode` does. */
function thenCrossEncode(rank, count) {
  return async (query) => {
    const hits = rank(query)
    const first = hits.slice(0, count)
    const texts = first.map(({ text }) => text)
    const { scores } = await model.crossEncode(query.text, texts)
    const order = [...first.keys()].sort((a, b) => scores[b] - scores[a])
    return [...order.map((place) => first[place]), ...hits.slice(count)]
  }
}

async function evaluateRanking(rank, queries, qrels) {
  const builder = new RunBuilder()
  for (const query of queries) {
    const ids = (await rank(query)).map(({ id }) => id)
    builder.add({ query: query.id, ids, scores: ids.map((_, place) => -place) })
  }
  return evaluate(qrels, builder.finish(), [MEASURE])
}

/** The judged queries of a dataset with the hits of both searches, as stores would return them. */
async function openDataset(folder) {
  const made = await makeWorkingFolder(folder, { work: values.work })
  const { split, qrels, own, corpus, queryText } = made
  const run = await readRun(made.run)
  const vectors = await openVectors(folder, own)
  const prepared = await readPrepared(folder)
  const [documents, asked] = [await textsOf(corpus), await textsOf(queryText)]
  const byWords = new Map()
  for (const found of searchBm25([...documents.values()], [...asked.values()], TOP)) {
    byWords.set(found.query, found)
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
      lexical: hitsOf(byWords.get(id) ?? { ids: [], scores: [] }),
    }
  })
  return { queries, split, qrels, statistics: termStatistics(prepared.documents.values()) }
}

async function textsOf(file) {
  const texts = new Map()
  for await (const entry of readTexts(file)) texts.set(entry.id, entry)
  return texts
}

function print(columns) {
  const shown = (time) => time.toFixed(time < 10 ? 2 : 0)
  const names = columns.map(({ name }) => name)
  printTable([MEASURE, ...names], columns, ({ evaluations }) => figuresOf(evaluations))
  console.log(`\nAgainst ${VECTOR}, Holm-corrected: * p < 0.05, ** p < 0.01 (paired t-test)`)
  printTable([`${KITH} against`, ...names], columns, ({ evaluations }) => gainsOf(evaluations))
  printTable(['milliseconds per query', ...names], columns, ({ times }) =>
    Object.fromEntries(Object.entries(times).map(([row, time]) => [row, shown(time)])),
  )
  if (random) {
    console.log(`\nQuality of a cross-encoder: run with --cross-encoder ${REAL}`)
  }
}

/** The means of all rankings, marked if they differ significantly from vector search. */
function figuresOf(evaluations) {
  const { [VECTOR]: plain, ...others } = evaluations
  const tests = Object.values(others).map((other) => compare(plain, other, MEASURE).tTest)
  const marks = ['', ...holm(tests).map(markOf)]
  const rows = Object.entries({ [VECTOR]: plain, ...others })
  return Object.fromEntries(
    rows.map(([row, { mean }], i) => [row, `${mean[MEASURE].toFixed(4)}${marks[i]}`]),
  )
}

/** The gain of Kith over each other ranking, with p of a paired t-test (not corrected). */
function gainsOf({ [KITH]: kith, ...others }) {
  return Object.fromEntries(
    Object.entries(others).map(([row, other]) => {
      const { difference, tTest } = compare(other, kith, MEASURE)
      const sign = difference < 0 ? '−' : '+'
      return [row, `${sign}${Math.abs(difference).toFixed(4)} (p ${formatP(tTest)})`]
    }),
  )
}

/** Prints a Markdown table of a head and, for each column, its cells by row. */
function printTable(head, columns, cellsOf) {
  const cells = columns.map(cellsOf)
  console.log(`\n| ${head.join(' | ')} |\n|${'---|'.repeat(head.length)}`)
  for (const row of Object.keys(cells[0])) {
    console.log(`| ${[row, ...cells.map((column) => column[row])].join(' | ')} |`)
  }
}
