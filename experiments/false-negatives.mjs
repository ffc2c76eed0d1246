/**
 * Counts the relevant documents among mined hard negatives, by filter. Each training query has one
 * label, and all relevant documents are known.
 *
 *   node experiments/false-negatives.mjs FOLDER [--negatives 8] [--work FOLDER]
 *
 * FOLDER is NFCorpus (../shared/data/nfcorpus), or a WordNet dataset of the demo (demo-output/wordnet-part).
 *
 * - `first`: the first candidates of the search.
 * - `margin`: candidates less similar to the query than 0.95 of the label's similarity, as in
 *   `mine_hard_negatives(relative_margin=0.05)` of sentence-transformers.
 * - `hard-negatives`: the format of `kith labels`, by the preset `joint-texts` (joint evidence with texts) and
 *   the number of documents that it leaves out.
 * - `rows`: the negatives with label 0 in rows of `kith labels --format sentence-transformers`, by preset.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { seededFraction } from '@kith/base/random'
import { labelPresets } from '@kith/core'
import { readQrels, readRun, readTexts, writeQrels } from '@kith/ir'
import { labelRun } from '@kith/pipelines/labels'
import { searchRun } from '@kith/pipelines/search'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    negatives: { type: 'string', default: '8' },
    work: {
      type: 'string',
      default: fileURLToPath(new URL('../demo-output/experiments/negatives', import.meta.url)),
    },
  },
})
const [folder] = positionals
if (!folder || !existsSync(join(folder, 'qrels/train.tsv'))) {
  console.error(
    'usage: node experiments/false-negatives.mjs DATASET; the dataset needs train judgments',
  )
  process.exit(2)
}
const COUNT = Number(values.negatives)
const MARGIN = 0.95
const own = join(values.work, basename(folder))
mkdirSync(own, { recursive: true })
const at = (name) => join(own, name)
const place = ['', 'embeddings/all-MiniLM-L6-v2'].find((name) =>
  existsSync(join(folder, name, 'docs.npy')),
)
const embeddings = {
  queries: join(folder, place, 'queries.npy'),
  docs: join(folder, place, 'docs.npy'),
}
const texts = { corpus: join(folder, 'corpus.jsonl'), queryText: join(folder, 'queries.jsonl') }
const complete = await readQrels(join(folder, 'qrels/train.tsv'))
const all = at('all.trec')
if (!existsSync(all)) await searchRun({ ...embeddings, top: 200, out: all })
const run = await readRun(all)
const labels = await oneLabel()
const qrels = at('sparse.tsv')
await writeQrels(qrels, labels, { format: 'beir' })

const rows = [
  { name: 'first', chosen: await byFilter(() => new Set()) },
  { name: 'margin 0.95', chosen: await byFilter(marginOut) },
  { name: 'hard-negatives, labelDepth 4', chosen: await hard(4) },
  { name: 'hard-negatives, labelDepth 25', chosen: await hard(25) },
  { name: 'hard-negatives, labelDepth 50', chosen: await hard(50) },
  { name: 'hard-negatives, labelDepth 100', chosen: await hard(100) },
  { name: 'rows, preset balanced', chosen: await softRows('balanced') },
  { name: 'rows, preset joint-texts', chosen: await softRows('joint-texts') },
]
console.log(`${basename(folder)}: ${labels.size} queries with one label, ${COUNT} negatives each`)
console.log('| negatives | queries | relevant among the negatives | mean rank |')
console.log('|---|---|---|---|')
for (const { name, chosen } of rows) {
  let [count, relevant, ranked, ranks] = [0, 0, 0, 0]
  for (const [query, ids] of chosen) {
    const rankOf = new Map(run.get(query).ids.map((id, i) => [id, i + 1]))
    for (const id of ids) {
      count++
      if ((complete.get(query).get(id) ?? 0) > 0) relevant++
      // Of documents with one text, the one that was found may be another.
      if (!rankOf.has(id)) continue
      ranked++
      ranks += rankOf.get(id)
    }
  }
  const share = ((100 * relevant) / count).toFixed(1)
  console.log(`| ${name} | ${chosen.size} | ${share} % | ${(ranks / ranked).toFixed(0)} |`)
}
process.exit(0)

/** One of each query's relevant documents among its candidates. */
async function oneLabel() {
  const drawn = new Map()
  for (const [query, judged] of complete) {
    const found = (run.get(query)?.ids ?? []).filter((id) => (judged.get(id) ?? 0) > 0).sort()
    const one = found[Math.floor(seededFraction(0, query) * found.length)]
    if (one !== undefined) drawn.set(query, new Map([[one, 1]]))
  }
  return drawn
}

/** The first candidates that a filter leaves. */
async function byFilter(outOf) {
  const chosen = new Map()
  for (const query of labels.keys()) {
    const out = outOf(query)
    const left = run.get(query).ids.filter((id) => !labels.get(query).has(id) && !out.has(id))
    if (left.length >= COUNT) chosen.set(query, left.slice(0, COUNT))
  }
  return chosen
}

/** The candidates that are nearly as similar as the label, or more. */
function marginOut(query) {
  const { ids, scores } = run.get(query)
  const [label] = labels.get(query).keys()
  const least = MARGIN * scores[ids.indexOf(label)]
  return new Set(ids.filter((id, i) => id !== label && scores[i] >= least))
}

/** Hard negatives by joint evidence, which leaves out a number of documents. */
function hard(labelDepth) {
  const settings = { ...labelPresets['joint-texts'], labelDepth }
  return inRows(`hard-${labelDepth}`, { settings, texts: true, format: 'hard-negatives' })
}

/** The negatives with label 0 in rows with soft labels. */
function softRows(preset) {
  const layout = { format: 'sentence-transformers', values: 'probability' }
  return inRows(`rows-${preset}`, {
    settings: labelPresets[preset],
    texts: preset === 'joint-texts',
    ...layout,
  })
}

/** Negatives of training rows; rows have texts, which are taken back to ids. */
async function inRows(name, how) {
  const out = at(`${name}.jsonl`)
  const files = { run: all, ...embeddings, ...texts, qrels }
  if (!existsSync(out)) await labelRun({ ...files, ...how, negatives: COUNT, out, workers: 1 })
  const [docOf, queryOf] = [await idsByText(texts.corpus), await idsByText(texts.queryText)]
  const chosen = new Map()
  for (const line of readFileSync(out, 'utf8').trim().split('\n')) {
    const { query, label = [], positive, ...negatives } = JSON.parse(line)
    const ids = Object.values(negatives).map((text) => docOf.get(text))
    const zeros = ids.filter((id, i) => (label[i + 1] ?? 0) === 0 && id !== undefined)
    if (labels.has(queryOf.get(query)) && zeros.length > 0) chosen.set(queryOf.get(query), zeros)
  }
  return chosen
}

async function idsByText(file) {
  const ids = new Map()
  for await (const { id, title, text } of readTexts(file)) {
    ids.set(title ? `${title} ${text}` : text, id)
  }
  return ids
}
