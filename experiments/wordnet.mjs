/**
 * Compares training targets on the WordNet dataset: trains on one label per query, chooses the
 * checkpoint by sparse dev labels, and tests on complete labels, for several draws of the labels.
 * Significance is clustered by region: neighboring categories share their documents.
 *
 *   npm run demo -- --whole                     # makes the collection and its embeddings
 *   node experiments/wordnet.mjs encoder [--targets one-hot,mixed] [--repeats 3] [-- options of kith train]
 *   node experiments/wordnet.mjs encoder
 *
 * `--collection FOLDER` is another of the demo's datasets. `--labels bm25-3` draws labels only
 * among the first 3 of BM25, as annotators who see what one engine shows would.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { buildWordnet, readNouns } from '@kith/datasets'
import { completeQrels, drawSparse, writeSparse } from '@kith/datasets/internal'
import { readQrels, readRun, readTexts, writeQrels, writeRun } from '@kith/ir'
import { searchRun } from '@kith/pipelines/search'
import { searchBm25 } from './bm25.mjs'
import { earlier, figuresOf, printTable, readArguments, root, trainedRun } from './trial.mjs'

const given = readArguments(['complete'], {
  collection: { type: 'string', default: join(root, 'demo-output/wordnet') },
  labels: { type: 'string', default: 'even' },
})
const { what, targets, repeats, passed } = given
const folder = join(given.folder, basename(given.collection))
const at = (name) => join(given.collection, name)
if (!existsSync(at('run.trec'))) {
  console.error(
    'there is no WordNet dataset; run npm run demo -- --whole to make it with its embeddings',
  )
  process.exit(1)
}
const data = {
  docs: at('docs.npy'),
  queries: at('queries.jsonl'),
  embeddings: at('queries.npy'),
  run: join(folder, 'run.trec'),
}
mkdirSync(folder, { recursive: true })
if (!existsSync(data.run)) {
  await searchRun({ queries: data.embeddings, docs: data.docs, top: 1000, out: data.run })
}
const wordnet = buildWordnet(await readNouns())
const run = await readRun(at('run.trec'))
const regions = readFileSync(at('regions.tsv'), 'utf8').trim().split('\n').slice(1)
const clusters = new Map(regions.map((line) => line.split('\t')))
const test = await readQrels(at('qrels/test.tsv'))
// The best possible labels: all relevant documents in the run. Labels outside the run would teach
// the encoder to move away from the run (docs/method.md section 7).
const inList = new Map()
for (const [query, grades] of await readQrels(at('qrels/train.tsv'))) {
  const retrieved = new Set(run.get(query)?.ids)
  const kept = [...grades].filter(([id]) => retrieved.has(id))
  if (kept.length > 0) inList.set(query, new Map(kept))
}
await writeQrels(join(folder, 'complete.tsv'), inList, { format: 'beir' })
const completeDev = await readQrels(at('qrels/dev.tsv'))

// The ranking that annotators saw: by embeddings, or by BM25.
const depth = given.labels === 'even' ? 200 : Number(/^bm25-(\d+)$/.exec(given.labels)?.[1])
const shown = given.labels === 'even' ? run : await bm25Run()

const kinds = ['test, complete labels', 'dev, complete labels', 'dev, sparse labels']
const tables = new Map(kinds.map((kind) => [kind, new Map()]))
for (let draw = 1; draw <= repeats; draw++) {
  const own = join(folder, given.labels === 'even' ? `draw-${draw}` : `${given.labels}-${draw}`)
  mkdirSync(own, { recursive: true })
  await writeSparse(
    wordnet,
    drawSparse(completeQrels(wordnet), shown, { seed: draw, depth }).qrels,
    own,
  )
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
    const trial = { what, target, seed: draw, passed, ...(given.labels === 'even' ? earlier : {}) }
    const files = {
      ...data,
      trainQrels: complete ? join(folder, 'complete.tsv') : sparse('train'),
      devQrels: sparse('dev'),
    }
    await add(target, await trainedRun(own, trial, files))
  }
  await add('plain', at('run.trec'))
}
for (const [kind, rows] of tables) {
  printTable(`${what} ${passed.join(' ')}, ${repeats} draws, ${kind}`, rows, { clusters })
}

async function bm25Run() {
  const file = join(folder, 'bm25.trec')
  if (!existsSync(file)) {
    const [documents, queries] = [[], []]
    for await (const entry of readTexts(at('corpus.jsonl'))) documents.push(entry)
    for await (const entry of readTexts(at('queries.jsonl'))) queries.push(entry)
    await writeRun(file, searchBm25(documents, queries, 10, true))
  }
  return readRun(file)
}
