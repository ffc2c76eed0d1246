/**
 * `npm run demo`: Kith's main job on a small collection that this script makes:
 * search, rerank, measure, report.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { kernel, Reranker } from '@kith/core'
import { makeCollection } from './collection.mjs'
import { renderReport } from './report.mjs'

const TOP = 100

const note =
  'A made-up collection from a fixed seed: it shows what Kith does, not how well it does on real text.'
const { queries, documents } = makeCollection()
console.log(`1. Collection: ${documents.length} documents, ${queries.length} queries. ${note}`)

const found = queries.map((query) => search(query))
console.log(`2. Search: the ${TOP} documents with the most similar vectors, for each query.`)

const reranker = new Reranker()
const start = performance.now()
const byVectors = queries.map(({ vector }, q) => {
  const vectors = found[q].map((document) => document.vector)
  return reorder(found[q], reranker.rerank(vector, vectors))
})
const middle = performance.now()
const byBoth = queries.map(({ vector, text }, q) => {
  const vectors = found[q].map((document) => document.vector)
  const texts = found[q].map((document) => document.text)
  return reorder(found[q], reranker.rerank({ vector, text }, { vectors, texts }))
})
const end = performance.now()
console.log(
  `3. Rerank: by neighbours in the embeddings, then by embeddings and words (${kernel()}).`,
)

const rankings = { before: found, 'embeddings only': byVectors, 'embeddings and words': byBoth }
const times = [0, middle - start, end - middle].map((time) => time / queries.length)
const table = [['ranking', 'nDCG@10', 'MRR@10', 'better / worse', 'ms per query']]
Object.entries(rankings).forEach(([name, lists], i) => {
  const gains = lists.map((list, q) => ndcg(list, queries[q]) - ndcg(found[q], queries[q]))
  const better = gains.filter((gain) => gain > 0).length
  const worse = gains.filter((gain) => gain < 0).length
  table.push([
    name,
    mean(lists.map((list, q) => ndcg(list, queries[q]))).toFixed(3),
    mean(lists.map((list, q) => reciprocalRank(list, queries[q]))).toFixed(3),
    i === 0 ? '' : `${better} / ${worse}`,
    i === 0 ? '' : times[i].toFixed(2),
  ])
})

const perQuery = queries
  .map((query, q) => ({ ...query, q, gain: ndcg(byBoth[q], query) - ndcg(found[q], query) }))
  .sort((a, b) => b.gain - a.gain)
const best = perQuery[0]
const shown = (list) =>
  list.slice(0, 10).map(({ text, topic }) => ({ text, relevant: topic === best.topic }))
const folder = new URL('../../demo-output/', import.meta.url)
mkdirSync(folder, { recursive: true })
const report = new URL('report.html', folder)
writeFileSync(
  report,
  renderReport({
    title: 'Kith demo: before and after',
    note,
    table,
    perQuery,
    example: { text: best.text, before: shown(found[best.q]), after: shown(byBoth[best.q]) },
  }),
)

const widths = table[0].map((_, c) => Math.max(...table.map((row) => row[c].length)))
console.log()
for (const row of table) {
  console.log(
    row.map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c]))).join('   '),
  )
}
console.log(`\nReport: ${fileURLToPath(report)}`)

function search({ vector }) {
  const score = (document) => document.vector.reduce((sum, value, j) => sum + value * vector[j], 0)
  return documents
    .map((document) => ({ document, score: score(document) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, TOP)
    .map(({ document }) => document)
}

function reorder(list, { order }) {
  return Array.from(order, (index) => list[index])
}

/** nDCG@10 with the documents of the query's topic relevant, of which there are more than ten. */
function ndcg(list, { topic }) {
  let gain = 0
  let ideal = 0
  for (let i = 0; i < 10; i++) {
    const discount = 1 / Math.log2(i + 2)
    ideal += discount
    if (list[i].topic === topic) gain += discount
  }
  return gain / ideal
}

function reciprocalRank(list, { topic }) {
  const place = list.slice(0, 10).findIndex((document) => document.topic === topic)
  return place < 0 ? 0 : 1 / (place + 1)
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
