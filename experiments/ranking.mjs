/**
 * What the ranking gains on a collection, part by part: plain search, similarity and words without
 * neighbours, the embeddings alone, the first generation, and the second (docs/method.md section 4).
 *
 *   node experiments/ranking.mjs FOLDER [--qrels FILE] [--model MODEL] [--query-prefix TEXT] [--work FOLDER]
 *
 * FOLDER has corpus.jsonl and queries.jsonl. Embeddings are made by MODEL and kept in the working
 * folder; where FOLDER has embeddings/all-MiniLM-L6-v2 and no model is named, they are taken.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { presets } from '@kith/core'
import { compare, evaluate, holm, readQrels, readRun, readTexts, writeTexts } from '@kith/ir'
import { encodeTexts, rerankRun, searchRun } from '@kith/pipelines'

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
  console.error('the first argument is a folder with corpus.jsonl and queries.jsonl')
  process.exit(2)
}
const { model, 'query-prefix': queryPrefix } = values
const qrels = await readQrels(values.qrels ?? join(folder, 'qrels/test.tsv'))
const own = join(values.work, basename(folder), basename(model ?? 'all-MiniLM-L6-v2'))
mkdirSync(own, { recursive: true })
const at = (name) => join(own, name)
const corpus = join(folder, 'corpus.jsonl')
const queryText = at('queries.jsonl')

const judged = []
for await (const entry of readTexts(join(folder, 'queries.jsonl'))) {
  if (qrels.has(entry.id)) judged.push(entry)
}
await writeTexts(queryText, judged)
const ready = join(folder, 'embeddings/all-MiniLM-L6-v2/docs.npy')
const docs = model === undefined && existsSync(ready) ? ready : at('docs.npy')
const encoding = { model, maxTokens: 256 }
if (!existsSync(docs)) await encodeTexts({ ...encoding, input: corpus, out: docs })
const queries = at('queries.npy')
if (!existsSync(queries)) {
  await encodeTexts({ ...encoding, queryPrefix, input: queryText, role: 'query', out: queries })
}
const run = at('run.trec')
if (!existsSync(run)) await searchRun({ queries, docs, top: 200, out: run })

const measure = (file) => readRun(file).then((found) => evaluate(qrels, found, ['nDCG@10']))
const plain = await measure(run)
const rows = [['plain search', plain]]
const texts = { corpus, queryText }
const variants = {
  'embeddings only (λ 0.7)': {},
  'similarity and words, no neighbours, candidates’ terms': {
    ...texts,
    settings: { method: 'fusion' },
    statistics: 'context',
  },
  'similarity and words, no neighbours, collection’s terms': {
    ...texts,
    settings: { method: 'fusion', preselect: 0 },
  },
  'first generation (balanced-1)': { ...texts, settings: presets['balanced-1'] },
  'second generation, candidates’ terms': { ...texts, statistics: 'context' },
  'second generation, collection’s terms, no preselection': {
    ...texts,
    settings: { preselect: 0 },
  },
  'second generation (the default with a corpus)': texts,
}
for (const [name, inputs] of Object.entries(variants)) {
  const out = at('reranked.trec')
  await rerankRun({ run, queries, docs, ...inputs, out })
  rows.push([name, await measure(out)])
}

console.log(
  `\n${basename(folder)}, ${basename(model ?? 'all-MiniLM-L6-v2')}, ${qrels.size} queries\n`,
)
console.log('| | nDCG@10 | gain | t | p, Holm over the rows |\n|---|---|---|---|---|')
console.log(`| plain search | ${plain.mean['nDCG@10'].toFixed(4)} | | | |`)
const compared = rows.slice(1).map(([, evaluation]) => compare(plain, evaluation, 'nDCG@10'))
const corrected = holm(compared.map(({ tTest }) => tTest))
rows.slice(1).forEach(([name, evaluation], i) => {
  const { difference, t } = compared[i]
  const gain = `${difference < 0 ? '−' : '+'}${Math.abs(difference).toFixed(4)}`
  const p = corrected[i] < 0.0001 ? '< 0.0001' : corrected[i].toFixed(4)
  const mean = evaluation.mean['nDCG@10'].toFixed(4)
  console.log(`| ${name} | ${mean} | ${gain} | ${t.toFixed(1)} | ${p} |`)
})
