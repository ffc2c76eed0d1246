/**
 * Measures what each part of the ranking adds on a dataset: vector search, embeddings only, dense + BM25
 * score fusion, the presets balanced-1 and balanced-2, and Kith (docs/method.md section 4).
 *
 *   node experiments/ranking.mjs DATASET [--qrels FILE] [--model MODEL] [--query-prefix TEXT] [--work FOLDER]
 *
 * DATASET is a folder with corpus.jsonl and queries.jsonl. MODEL makes the embeddings, which are kept in
 * the working folder; without MODEL, MiniLM's embeddings that DATASET comes with are used.
 */
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { presets } from '@kith/core'
import { compare, evaluate, readRun } from '@kith/ir'
import { holm } from '@kith/ir/internal'
import { rerankRun } from '@kith/pipelines/rerank'
import { makeWorkingFolder } from './working-folder.mjs'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    qrels: { type: 'string' },
    model: { type: 'string' },
    'query-prefix': { type: 'string' },
    work: { type: 'string', default: '.kith-experiments/ranking' },
  },
})
const [folder] = positionals
if (!folder || !existsSync(join(folder, 'corpus.jsonl'))) {
  console.error(
    'usage: node experiments/ranking.mjs DATASET; a folder with corpus.jsonl and queries.jsonl',
  )
  process.exit(2)
}
const { model, 'query-prefix': queryPrefix } = values
const made = await makeWorkingFolder(folder, { ...values, queryPrefix })
const { qrels, corpus, queryText, docs, queries, run } = made

const measure = (file) => readRun(file).then((found) => evaluate(qrels, found, ['nDCG@10']))
const plain = await measure(run)
const rows = [['vector search', plain]]
const texts = { corpus, queryText }
const variants = {
  'Kith, embeddings only': {},
  'score fusion, first 50, no term statistics': {
    ...texts,
    settings: { method: 'fusion' },
    statistics: 'context',
  },
  'score fusion, first 50': {
    ...texts,
    settings: { method: 'fusion', preselect: 0 },
  },
  'preset balanced-1, first 50': { ...texts, settings: presets['balanced-1'] },
  'preset balanced-2, 50 chosen from 200': { ...texts, settings: presets['balanced-2'] },
  'Kith, first 50, no term statistics': { ...texts, statistics: 'context' },
  'Kith, first 50': {
    ...texts,
    settings: { preselect: 0 },
  },
  'Kith, 50 chosen from 200 (default)': texts,
}
for (const [name, inputs] of Object.entries(variants)) {
  const out = join(made.own, 'reranked.trec')
  await rerankRun({ run, queries, docs, ...inputs, out })
  rows.push([name, await measure(out)])
}

console.log(
  `\n${basename(folder)}, ${basename(model ?? 'all-MiniLM-L6-v2')}, ${qrels.size} queries\n`,
)
console.log('| | nDCG@10 | gain | t | p, Holm over the rows |\n|---|---|---|---|---|')
console.log(`| vector search | ${plain.mean['nDCG@10'].toFixed(4)} | | | |`)
const compared = rows.slice(1).map(([, evaluation]) => compare(plain, evaluation, 'nDCG@10'))
const corrected = holm(compared.map(({ tTest }) => tTest))
rows.slice(1).forEach(([name, evaluation], i) => {
  const { difference, t } = compared[i]
  const gain = `${difference < 0 ? '−' : '+'}${Math.abs(difference).toFixed(4)}`
  const p = corrected[i] < 0.0001 ? '< 0.0001' : corrected[i].toFixed(4)
  const mean = evaluation.mean['nDCG@10'].toFixed(4)
  console.log(`| ${name} | ${mean} | ${gain} | ${t.toFixed(1)} | ${p} |`)
})
