/**
 * Tests whether English tokenization improves the evidence of labels: one relevant document of each
 * NFCorpus training query is known, and the evidence ranks the others among the first 100 candidates (docs/results.md).
 *
 *   node experiments/label-terms.mjs FOLDER
 *
 * FOLDER is BEIR's nfcorpus with embeddings/all-MiniLM-L6-v2 (../shared/data/nfcorpus).
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seededFraction } from '@kith/base/random'
import { prepareText, smoothLabels } from '@kith/core'
import { tokenizerNames } from '@kith/core/internal'
import { openEmbeddings, readQrels, readRun, readTexts } from '@kith/ir'
import { searchRun } from '@kith/pipelines/search'

const [folder] = process.argv.slice(2)
if (!folder) {
  console.error('usage: node experiments/label-terms.mjs NFCORPUS')
  process.exit(2)
}
const DEPTH = 100
/** Every third training query with at least this many relevant documents. */
const RELEVANT = 5
const SHARE = 1 / 3

const files = (name) => join(folder, 'embeddings/all-MiniLM-L6-v2', `${name}.npy`)
const out = join(mkdtempSync(join(tmpdir(), 'kith-label-terms-')), 'run.trec')
await searchRun({ queries: files('queries'), docs: files('docs'), top: DEPTH, out })
const run = await readRun(out)
const [queries, docs] = [
  await openEmbeddings(files('queries')),
  await openEmbeddings(files('docs')),
]
const queryTexts = new Map()
for await (const { id, text } of readTexts(join(folder, 'queries.jsonl'))) queryTexts.set(id, text)
const prepared = Object.fromEntries(tokenizerNames.map((tokenizer) => [tokenizer, new Map()]))
for await (const { id, title, text } of readTexts(join(folder, 'corpus.jsonl'))) {
  const whole = title ? `${title} ${text}` : text
  for (const tokenizer of tokenizerNames)
    prepared[tokenizer].set(id, prepareText(whole, { tokenizer }))
}

const values = new Map()
for (const [query, judged] of await readQrels(join(folder, 'qrels/train.tsv'))) {
  const relevant = [...judged].filter(([, grade]) => grade > 0).map(([id]) => id)
  if (relevant.length < RELEVANT || seededFraction(1, query) >= SHARE || !run.has(query)) continue
  const known = relevant[Math.floor(seededFraction(2, query) * relevant.length)]
  const others = run.get(query).ids.filter((id) => id !== known)
  const ids = [known, ...others.slice(0, DEPTH - 1)]
  const row = queries.rowOf(query)
  const vector = queries.read(row, row + 1)
  const rows = ids.map((id) => docs.rowOf(id))
  const { dimensions } = docs
  const data = docs.gather(rows, new Float32Array(rows.length * dimensions))
  const vectors = { data, rows: rows.length, dimensions }
  for (const target of ['joint', 'mixed']) {
    for (const tokenizer of [undefined, ...tokenizerNames]) {
      const { evidence } = tokenizer
        ? smoothLabels(
            { vector, text: queryTexts.get(query) },
            { vectors, texts: ids.map((id) => prepared[tokenizer].get(id)) },
            { candidates: [0] },
            { target, tokenizer },
          )
        : smoothLabels(vector, vectors, { candidates: [0] }, { target })
      const key = `${target} | ${tokenizer ?? 'no texts'}`
      const found = precision(ids, evidence, new Set(relevant))
      values.set(key, [...(values.get(key) ?? []), found])
    }
  }
}

console.log(
  '| target | terms | average precision | P@4 | t of AP against none |\n|---|---|---|---|---|',
)
for (const [key, list] of values) {
  const none = values.get(`${key.split(' | ')[0]} | none`)
  const mean = (of) => list.reduce((sum, one) => sum + one[of], 0) / list.length
  const differences = list.map(({ ap }, i) => ap - none[i].ap)
  console.log(
    `| ${key} | ${mean('ap').toFixed(4)} | ${mean('p4').toFixed(4)} | ${tOf(differences)} |`,
  )
}
console.log(`\n${[...values.values()][0].length} queries`)
await queries.close()
await docs.close()

/** How well evidence orders the candidates other than the known one. */
function precision(ids, evidence, relevant) {
  const order = [...ids.keys()].slice(1).sort((a, b) => evidence[b] - evidence[a] || a - b)
  let found = 0
  let sum = 0
  let first = 0
  order.forEach((candidate, rank) => {
    if (relevant.has(ids[candidate])) sum += ++found / (rank + 1)
    if (rank === 3) first = found / 4
  })
  return { ap: found === 0 ? 0 : sum / found, p4: first }
}

function tOf(differences) {
  const n = differences.length
  const mean = differences.reduce((a, b) => a + b, 0) / n
  const variance = differences.reduce((sum, d) => sum + (d - mean) ** 2, 0) / (n - 1)
  return variance === 0 ? '' : (mean / Math.sqrt(variance / n)).toFixed(1)
}
