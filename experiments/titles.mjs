/**
 * Tests whether document titles can replace queries: an adapter learns Kith's ranking for the titles of
 * a corpus, and is measured on real queries.
 *
 *   node experiments/titles.mjs FOLDER [--qrels FILE] [--work FOLDER]
 *
 * FOLDER has corpus.jsonl with titles, queries.jsonl and embeddings/all-MiniLM-L6-v2. No judgment
 * is used only for the figures.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { compare, evaluate, readQrels, readRun, readTexts, writeTexts } from '@kith/ir'
import { encodeTexts } from '@kith/pipelines/encode'
import { searchRun } from '@kith/pipelines/search'
import { adaptQueries, fitAdapterFiles } from '@kith/pipelines/train'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    qrels: { type: 'string' },
    work: { type: 'string', default: '.kith-experiments/titles' },
  },
})
const [folder] = positionals
if (!folder || !existsSync(join(folder, 'corpus.jsonl'))) {
  console.error(
    'usage: node experiments/titles.mjs DATASET; a folder with corpus.jsonl and queries.jsonl',
  )
  process.exit(2)
}
const own = join(values.work, basename(folder))
mkdirSync(own, { recursive: true })
const at = (name) => join(own, name)
const corpus = join(folder, 'corpus.jsonl')
const docs = join(folder, 'embeddings/all-MiniLM-L6-v2/docs.npy')
const qrels = await readQrels(values.qrels ?? join(folder, 'qrels/test.tsv'))

const titles = []
for await (const { id, title } of readTexts(corpus)) {
  if (title) titles.push({ id: `title-${id}`, text: title })
}
const asked = []
for await (const { id, text } of readTexts(join(folder, 'queries.jsonl'))) {
  if (qrels.has(id)) asked.push({ id, text })
}
for (const [name, texts] of Object.entries({ titles, asked })) {
  await writeTexts(at(`${name}.jsonl`), texts)
  if (existsSync(at(`${name}.trec`))) continue
  const queries = at(`${name}.npy`)
  await encodeTexts({ input: at(`${name}.jsonl`), role: 'query', out: queries })
  await searchRun({ queries, docs, top: 200, out: at(`${name}.trec`) })
}

const measure = async (run) => evaluate(qrels, await readRun(run), ['nDCG@10', 'Recall@100'])
const plain = await measure(at('asked.trec'))
console.log(`${basename(folder)}: ${titles.length} titles, ${asked.length} queries`)
console.log('| | nDCG@10 | gain | t | Recall@100 |\n|---|---|---|---|---|')
const shown = (evaluation, name) => evaluation.mean[name].toFixed(4)
console.log(`| vector search | ${shown(plain, 'nDCG@10')} | | | ${shown(plain, 'Recall@100')} |`)
const model = at('adapter')
const teacher = { corpus, queryText: at('titles.jsonl') }
const training = { queries: at('titles.npy'), run: at('titles.trec') }
await fitAdapterFiles({ docs, training, teacher, holdOut: 0, threads: 1, out: model })
const queries = at('adapted.npy')
await adaptQueries({ adapter: model, queries: at('asked.npy'), out: queries })
await searchRun({ queries, docs, top: 200, out: at('adapted.trec') })
const found = await measure(at('adapted.trec'))
const { difference, t } = compare(plain, found, 'nDCG@10')
const figures = [shown(found, 'nDCG@10'), difference.toFixed(4), t.toFixed(1)]
console.log(`| adapter fitted to titles | ${figures.join(' | ')} | ${shown(found, 'Recall@100')} |`)
