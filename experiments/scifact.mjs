/**
 * Compares training targets on SciFact's 809 sparsely judged training queries. A fifth of them is held
 * out for validation. Reports the 300 test queries, and the test queries that share no relevant document with a
 * training query.
 *
 *   node experiments/scifact.mjs FOLDER encoder [--targets one-hot,mixed] [--repeats 3] [-- options of kith train]
 *
 * FOLDER is BEIR's scifact with queries.train.jsonl and embeddings/all-MiniLM-L6-v2 beside it
 * (../shared/data/scifact).
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { seededFraction } from '@kith/base/random'
import { readQrels, readTexts, writeQrels, writeTexts } from '@kith/ir'
import { encodeTexts } from '@kith/pipelines/encode'
import { searchRun } from '@kith/pipelines/search'
import { earlier, figuresOf, printTable, readArguments, trainedRun } from './trial.mjs'

const [collection] = process.argv.splice(2, 1)
if (!collection || !existsSync(join(collection, 'queries.train.jsonl'))) {
  console.error(
    'usage: node experiments/scifact.mjs SCIFACT encoder; the dataset needs queries.train.jsonl',
  )
  process.exit(2)
}
const { what, targets, repeats, folder, passed } = readArguments()
const own = join(folder, 'scifact')
mkdirSync(own, { recursive: true })
const at = (name) => join(own, name)
const docs = join(collection, 'embeddings/all-MiniLM-L6-v2/docs.npy')

// Test and training queries may have the same ids: training ids get a prefix.
const texts = []
for await (const { id, text } of readTexts(join(collection, 'queries.jsonl')))
  texts.push({ id, text })
const test = await readQrels(join(collection, 'qrels/test.tsv'))
const [train, dev] = [new Map(), new Map()]
const trainQrels = await readQrels(join(collection, 'qrels/train.tsv'))
for await (const { id, text } of readTexts(join(collection, 'queries.train.jsonl'))) {
  texts.push({ id: `train-${id}`, text })
  const part = seededFraction(0, id) < 0.2 ? dev : train
  part.set(`train-${id}`, trainQrels.get(id))
}
await writeTexts(at('queries.jsonl'), texts)
await writeQrels(at('train.tsv'), train, { format: 'beir' })
await writeQrels(at('dev.tsv'), dev, { format: 'beir' })
if (!existsSync(at('run.trec'))) {
  await encodeTexts({ input: at('queries.jsonl'), role: 'query', out: at('queries.npy') })
  await searchRun({ queries: at('queries.npy'), docs, out: at('run.trec') })
}
const seen = new Set([...trainQrels.values()].flatMap((judged) => [...judged.keys()]))
const apart = new Map(
  [...test].filter(([, judged]) => ![...judged.keys()].some((id) => seen.has(id))),
)
writeFileSync(
  at('README.txt'),
  `${train.size} training, ${dev.size} validation, ${test.size} test queries, ${apart.size} of them without a relevant document in training\n`,
)

const data = {
  docs,
  queries: at('queries.jsonl'),
  embeddings: at('queries.npy'),
  run: at('run.trec'),
  trainQrels: at('train.tsv'),
  devQrels: at('dev.tsv'),
}
const judgments = {
  'all test queries': test,
  [`the ${apart.size} apart from training`]: apart,
  validation: dev,
}
const tables = new Map(Object.keys(judgments).map((kind) => [kind, new Map()]))
const add = async (name, file) => {
  const figures = []
  for (const [kind, qrels] of Object.entries(judgments)) {
    const found = await figuresOf(file, qrels)
    const rows = tables.get(kind)
    rows.set(name, [...(rows.get(name) ?? []), found])
    figures.push(found.mean['nDCG@10'].toFixed(4))
  }
  console.log(`${name}: ${figures.join(', ')}`)
}
for (let seed = 1; seed <= repeats; seed++) {
  for (const target of targets) {
    const trial = { what, target, seed, passed, ...earlier }
    await add(target, await trainedRun(at(`seed-${seed}`), trial, data))
  }
  await add('plain', at('run.trec'))
}
for (const [kind, rows] of tables)
  printTable(`${what} ${passed.join(' ')}, ${repeats} seeds, ${kind}`, rows)
