/**
 * What targets are worth in training, on the WordNet collection: trained on one label per query,
 * stopped by the sparse dev labels only, tested on complete labels; several draws of the labels.
 * Significance is clustered by region: neighbouring categories share their documents.
 *
 *   npm run demo -- --whole                     # makes the collection and its embeddings
 *   node experiments/wordnet.mjs encoder [--targets one-hot,mixed] [--repeats 3] [-- options of kith train]
 *   node experiments/wordnet.mjs adapter
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildWordnet, completeQrels, drawSparse, readNouns, writeSparse } from '@kith/collections'
import { readQrels, readRun, writeQrels } from '@kith/ir'
import { searchRun } from '@kith/pipelines'
import { earlier, figuresOf, printTable, readArguments, root, trainedRun } from './trial.mjs'

const { what, targets, repeats, folder, passed } = readArguments(['complete'])
const at = (name) => join(root, 'demo-output/wordnet', name)
if (!existsSync(at('run.trec'))) {
  console.error('run `npm run demo -- --whole` first: it makes the collection and its embeddings')
  process.exit(1)
}
const data = {
  docs: at('docs.npy'),
  queries: at('queries.jsonl'),
  embeddings: at('queries.npy'),
  run: join(folder, 'wordnet/run.trec'),
}
if (!existsSync(data.run)) {
  await searchRun({ queries: data.embeddings, docs: data.docs, top: 1000, out: data.run })
}
const wordnet = buildWordnet(await readNouns())
const run = await readRun(at('run.trec'))
const regions = readFileSync(at('regions.tsv'), 'utf8').trim().split('\n').slice(1)
const clusters = new Map(regions.map((line) => line.split('\t')))
const test = await readQrels(at('qrels/test.tsv'))
// What the best of labels could do: all of those that the run has. Labels from outside it
// would teach the encoder to move away from it (docs/method.md section 7).
const inList = new Map()
for (const [query, grades] of await readQrels(at('qrels/train.tsv'))) {
  const retrieved = new Set(run.get(query)?.ids)
  const kept = [...grades].filter(([id]) => retrieved.has(id))
  if (kept.length > 0) inList.set(query, new Map(kept))
}
await writeQrels(join(folder, 'wordnet/complete.tsv'), inList, { format: 'beir' })
const completeDev = await readQrels(at('qrels/dev.tsv'))

const kinds = ['test, complete labels', 'dev, complete labels', 'dev, sparse labels']
const tables = new Map(kinds.map((kind) => [kind, new Map()]))
for (let draw = 1; draw <= repeats; draw++) {
  const own = join(folder, 'wordnet', `draw-${draw}`)
  mkdirSync(own, { recursive: true })
  await writeSparse(wordnet, drawSparse(completeQrels(wordnet), run, { seed: draw }).qrels, own)
  const sparse = (split) => join(own, `qrels-sparse/${split}.tsv`)
  const sparseDev = await readQrels(sparse('dev'))
  const add = async (name, file) => {
    for (const [i, qrels] of [test, completeDev, sparseDev].entries()) {
      const rows = tables.get(kinds[i])
      rows.set(name, [...(rows.get(name) ?? []), await figuresOf(file, qrels)])
    }
    const figures = kinds.map((kind) => tables.get(kind).get(name).at(-1).mean['nDCG@10'])
    console.log(`draw ${draw}, ${name}: ${figures.map((value) => value.toFixed(4)).join(', ')}`)
  }
  for (const target of targets) {
    const complete = target === 'complete'
    const trial = { what, target, seed: draw, passed, ...earlier }
    const files = {
      ...data,
      trainQrels: complete ? join(folder, 'wordnet/complete.tsv') : sparse('train'),
      devQrels: sparse('dev'),
    }
    await add(target, await trainedRun(own, trial, files))
  }
  await add('plain', at('run.trec'))
}
for (const [kind, rows] of tables) {
  printTable(`${what} ${passed.join(' ')}, ${repeats} draws, ${kind}`, rows, { clusters })
}
