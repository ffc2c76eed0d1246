/**
 * Tests whether terms of the query's reciprocal neighbors improve the BM25 score: adds their heaviest
 * terms to the query, with a smaller weight than the query's own terms (docs/method.md
 * section 4).
 *
 *   node experiments/expansion.mjs FOLDER WORK [--qrels FILE]
 *
 * WORK is the dataset's working folder of experiments/ranking.mjs.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { neighbors, Reranker, termStatistics } from '@kith/core'
import { evaluate, RunBuilder, readQrels, readRun } from '@kith/ir'
import { openVectors, printGains, readPrepared } from './working-folder.mjs'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { qrels: { type: 'string' } },
})
const [folder, work] = positionals
if (!work || !existsSync(join(work, 'run.trec'))) {
  console.error(
    'usage: node experiments/expansion.mjs DATASET WORK; WORK is the working folder of experiments/ranking.mjs',
  )
  process.exit(2)
}
/** How many terms are added, and how often each of the query's own counts for one of them. */
const VARIANTS = [
  [0, 1],
  [5, 5],
  [10, 5],
  [10, 10],
  [20, 10],
]
/** Candidates that neighbors are looked for among, as in the default. */
const CONTEXT = 50

const qrels = await readQrels(values.qrels ?? join(folder, 'qrels/test.tsv'))
const run = await readRun(join(work, 'run.trec'))
const vectorsOf = await openVectors(folder, work)
const texts = await readPrepared(folder)
const statistics = termStatistics(texts.documents.values())
const rarity = new Map()
statistics.hashes.forEach((hash, i) => {
  rarity.set(hash, Math.log(1 + statistics.documents / statistics.frequencies[i]))
})
const reranker = new Reranker({ statistics })

const measured = VARIANTS.map(([terms, weight]) => {
  const builder = new RunBuilder()
  for (const query of run.queries) {
    if (!qrels.has(query)) continue
    const { ids } = run.get(query)
    const vector = vectorsOf.query(query)
    const vectors = ids.map(vectorsOf.document)
    const found = ids.map((id) => texts.documents.get(id))
    const text = texts.queries.get(query)
    const first = { vectors: vectors.slice(0, CONTEXT), texts: found.slice(0, CONTEXT) }
    const near = neighbors({ vector, text }, first).query.reciprocal.filter((m) => m !== 'query')
    const asked = expanded(
      text,
      near.map((m) => found[m]),
      terms,
      weight,
    )
    const { order, scores } = reranker.rerank({ vector, text: asked }, { vectors, texts: found })
    builder.add({ query, ids: Array.from(order, (index) => ids[index]), scores })
  }
  return evaluate(qrels, builder.finish(), ['nDCG@10'])
})
printGains(['terms added', 'weight of the query’s own'], VARIANTS, measured)

/** A query's text with the heaviest terms of its neighbors' texts; a posting is two halves of a hash and a count. */
function expanded(text, near, terms, weight) {
  const postings = Array.from(text.postings, (word, i) => (i % 3 === 2 ? word * weight : word))
  const known = new Set()
  eachTerm(text, (hash) => known.add(hash))
  const weights = new Map()
  for (const one of near) {
    eachTerm(one, (hash, count) => {
      const more = (1 + Math.log(count)) * rarity.get(hash)
      if (!known.has(hash)) weights.set(hash, (weights.get(hash) ?? 0) + more)
    })
  }
  const best = [...weights].sort((a, b) => b[1] - a[1]).slice(0, terms)
  for (const [hash] of best) postings.push(hash % 2 ** 32, Math.floor(hash / 2 ** 32), 1)
  return { tokenizer: 'english', postings: Uint32Array.from(postings) }
}

function eachTerm({ postings }, visit) {
  for (let at = 0; at < postings.length; at += 3) {
    visit(postings[at + 1] * 2 ** 32 + postings[at], postings[at + 2])
  }
}
