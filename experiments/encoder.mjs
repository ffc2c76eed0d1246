/**
 * Measures what fine-tuning the query encoder gains on test queries beside a linear adapter, by training target:
 * nDCG@10 and Recall@100 of search, and nDCG@10 after reranking, on NFCorpus or SciFact.
 *
 *   node experiments/encoder.mjs FOLDER [--train encoder|adapter] [--top-layers 2] [--draws 3]
 *     [--targets one-hot,joint-texts] [--work FOLDER]
 *
 * - `one-hot`: one label per query, a draw of the judged documents; `complete`: all judgments.
 * - `joint-texts`, `mixed`: evidence-based labels of `kith labels`, from one label per query.
 * - `distil`: the ranking of Kith, without labels; `one-hot+distil`: the mean of both.
 *
 * An encoder learns with the defaults of `kith train --model` (labels outside the first 200 documents are left
 * out). Dev queries choose one of its checkpoints: once by one label per query, and once by all judgments. Without dev
 * queries, a fifth of the training queries chooses. An adapter has no checkpoints.
 *
 * FOLDER has BEIR's layout, with train and test judgments (../shared/data/nfcorpus, ../shared/data/scifact).
 * Finished trainings are kept in the working folder, so that the same command resumes.
 */
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { distilTarget } from '@kith/core/internal'
import { evaluate, RunBuilder } from '@kith/ir'
import { openEncoderModel, QueryEncoder, train } from '@kith/train'
import { adapterQueries, fitAdapter, inverseTemperatureFor, shrinkageOf } from '@kith/train/fit'
import { openData } from './adapter-data.mjs'
import { mean, printRows, signed } from './adapter-table.mjs'

/** The evidence of the study of adapters. */
const evidence = { labelDepth: 4, boost: 3, contextSize: 200 }
/** By target: the labels of a draw, and the recipe of an adapter. */
const targets = {
  'one-hot': { recipe: 'labels', labels: (draw) => data.labeled(draw) },
  complete: { recipe: 'judgments', labels: () => data.training },
  'joint-texts': {
    recipe: 'labels',
    labels: (draw) => data.evidence(draw, { ...evidence, target: 'joint' }, true),
  },
  mixed: {
    recipe: 'labels',
    labels: (draw) => data.evidence(draw, { ...evidence, target: 'mixed' }, false),
  },
  distil: { recipe: 'ranking', labels: () => data.training.map((query) => distilled(query, 1)) },
  'one-hot+distil': {
    recipe: 'ranking+labels',
    labels: async (draw) => (await data.labeled(draw)).map((query) => distilled(query, 0.5)),
  },
}
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    train: { type: 'string', default: 'encoder' },
    'top-layers': { type: 'string' },
    draws: { type: 'string', default: '3' },
    targets: { type: 'string', default: Object.keys(targets).join(',') },
    work: {
      type: 'string',
      default: fileURLToPath(new URL('../demo-output/experiments/adapter', import.meta.url)),
    },
  },
})
const [folder] = positionals
const names = values.targets.split(',')
const isUsable = folder && existsSync(join(folder, 'qrels/train.tsv'))
if (!isUsable || names.some((name) => !targets[name])) {
  console.error(`usage: node experiments/encoder.mjs DATASET; targets: ${Object.keys(targets)}`)
  process.exit(2)
}
const topLayers = values['top-layers'] && Number(values['top-layers'])
const data = await openData(folder, { labels: 'even', work: values.work })
const { docs, judged } = data
const inverseTemperature = inverseTemperatureFor(data.training, docs)
const choosing = judged.dev ? [] : data.split(data.training, 0.2)[0]
const dev = judged.dev ? data.queriesOf('dev') : choosing
judged.dev ??= new Map(choosing.map(({ id }) => [id, judged.train.get(id)]))
const isChoosing = new Set(choosing.map(({ id }) => id))
const test = data.queriesOf('test')
const plain = {
  dev: await data.measured(judged.dev, dev),
  test: await data.measured(judged.test, test),
}
plain.reranked = await data.reranked('plain', test)
const candidates = await data.candidatesOf(dev)

const rows = []
for (const name of names) {
  const found = []
  for (let draw = 0; draw < Number(values.draws); draw++) found.push(await result(name, draw))
  for (const choice of Object.keys(found[0].by)) {
    rows.push({ name: `${name}, ${choice}`, found: found.map(({ by }) => by[choice]) })
  }
}
// Every row beside the first one: one-hot labels by default.
printRows(plain, rows, rows.length > 1 ? { against: 0 } : {})
process.exit(0)

/** The figures of a training by the way its checkpoint is chosen; kept figures are taken. */
async function result(name, draw) {
  const what = [values.train, ...(topLayers ? [`top ${topLayers}`] : [])].join(' ')
  const key = `${what} ${name} ${draw}`
  const file = data.at('encoder.jsonl')
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const known = kept.map((line) => JSON.parse(line)).find((one) => one.key === key)
  if (known) return known
  const learned = (await targets[name].labels(draw)).filter(({ id }) => !isChoosing.has(id))
  const cpu = process.cpuUsage()
  const trained = await (values.train === 'adapter' ? adapter : encoder)({
    ...{ learned, draw, recipe: targets[name].recipe },
  })
  const { user, system } = process.cpuUsage(cpu)
  const seconds = (user + system) / 1e6
  const found = { key, ...trained, seconds, by: await chosen(trained.checkpoints, draw) }
  delete found.checkpoints
  appendFileSync(file, `${JSON.stringify(found)}\n`)
  for (const [choice, one] of Object.entries(found.by)) {
    const gains = ['dev', 'test', 'reranked'].map((split) => {
      return signed(mean(one[split]['nDCG@10']) - plain[split].mean['nDCG@10'])
    })
    const steps = `step ${one.step} of ${found.steps}, ${found.queries} queries`
    console.log(`  ${key}, ${choice}: ${gains.join(' ')} (${steps}, ${seconds.toFixed(0)} s)`)
  }
  return found
}

/** Trains an encoder; its checkpoints have the embeddings of dev and test queries. */
async function encoder({ learned, draw }) {
  const queries = learned.map(inside).filter(({ relevant, labels }) => {
    return labels ? labels.rows.length > 0 : relevant.length > 0
  })
  const model = await openEncoderModel('minilm', { topLayers })
  const epoch = Math.ceil(queries.length / 32)
  const weights = []
  const out = data.at('encoder.running')
  rmSync(out, { recursive: true, force: true })
  const { steps } = await train({
    ...{ model, documents: docs, queries, threads: 1, out },
    validation: dev.map((query, q) => {
      return { ...query, relevant: relevantOf(query.id), retrieved: candidates[q] }
    }),
    settings: {
      ...{ seed: draw, steps: 4 * epoch, validateEvery: epoch },
      ...{ learningRate: 3e-5, inverseTemperature },
    },
    onValidation: ({ step }) => {
      const copy = new Map([...model.weights].map(([of, numbers]) => [of, numbers.slice()]))
      weights.push({ step, copy })
    },
  })
  rmSync(out, { recursive: true })
  const checkpoints = []
  for (const { step, copy } of weights) {
    for (const [of, numbers] of copy) model.weights.get(of).set(numbers)
    checkpoints.push({ step, ...(await embeddingsBy(model)) })
  }
  return { queries: queries.length, steps, checkpoints }
}

/** Fits an adapter, as the only checkpoint. */
async function adapter({ learned, recipe }) {
  const queries = adapterQueries(learned, recipe)
  const shrinkage = shrinkageOf(recipe, inverseTemperature)
  const job = { documents: docs, inverseTemperature, shrinkage, threads: 1 }
  const { model } = await fitAdapter({ ...job, queries })
  const checkpoints = [{ step: 0, ...(await embeddingsBy(model)) }]
  return { queries: queries.length, steps: 0, checkpoints }
}

async function embeddingsBy(model) {
  const encoder = await QueryEncoder.open(model, { threads: 1 })
  const encoded = async (queries) => {
    const { data: numbers, dimensions } = await encoder.encode(queries)
    return queries.map((query, q) => {
      return { ...query, vector: numbers.slice(q * dimensions, (q + 1) * dimensions) }
    })
  }
  const both = { dev: await encoded(dev), test: await encoded(test) }
  await encoder.close()
  return both
}

/** The figures of the checkpoint with the best nDCG@10 of reranked candidates, by each kind of dev labels. */
async function chosen(checkpoints, draw) {
  const kinds = { 'dev: all judgments': judged.dev }
  if (data.hasMany) kinds['dev: one label'] = data.drawn(judged.dev, draw)
  if (checkpoints.length === 1) kinds['dev: not used'] = judged.dev
  const picked = Object.entries(kinds).slice(checkpoints.length === 1 ? -1 : 0)
  const [by, measured] = [{}, new Map()]
  for (const [kind, qrels] of picked) {
    const figures = checkpoints.map((one) => rankedCandidates(one.dev, qrels))
    const { step, ...best } = checkpoints[figures.indexOf(Math.max(...figures))]
    if (!measured.has(step)) measured.set(step, await figuresOf(best))
    by[kind] = { step, ...measured.get(step) }
  }
  return by
}

/** The mean nDCG@10 of dev queries, whose candidates are ranked again. */
function rankedCandidates(queries, qrels) {
  const run = new RunBuilder()
  queries.forEach(({ id: query, vector }, q) => {
    const vectors = docs.gather(candidates[q])
    const scored = Array.from(candidates[q], (row, i) => {
      const own = vectors.subarray(i * docs.dimensions, (i + 1) * docs.dimensions)
      return {
        id: docs.idOf(row),
        score: own.reduce((sum, value, k) => sum + value * vector[k], 0),
      }
    }).sort((a, b) => b.score - a.score)
    run.add({ query, ids: scored.map(({ id }) => id), scores: scored.map(({ score }) => score) })
  })
  return evaluate(qrels, run.finish(), ['nDCG@10']).mean['nDCG@10']
}

async function figuresOf({ dev: devQueries, test: testQueries }) {
  const lists = ({ perQuery }) => {
    return Object.fromEntries(Object.entries(perQuery).map(([of, list]) => [of, Array.from(list)]))
  }
  return {
    dev: lists(await data.measured(judged.dev, devQueries)),
    test: lists(await data.measured(judged.test, testQueries)),
    reranked: lists(await data.reranked('trained', testQueries)),
  }
}

function relevantOf(query) {
  const relevant = [...judged.dev.get(query)].filter(([, grade]) => grade > 0)
  return relevant.map(([id]) => docs.rowOf(id))
}

/** A query with the labels that are among its candidates. */
function inside(query) {
  const list = new Set(query.retrieved)
  const { relevant, labels } = query
  if (!labels) return { ...query, relevant: relevant.filter((row) => list.has(row)) }
  const at = [...labels.rows.keys()].filter((i) => list.has(labels.rows[i]) && labels.values[i] > 0)
  const own = { rows: at.map((i) => labels.rows[i]), values: at.map((i) => labels.values[i]) }
  return { ...query, labels: own }
}

/** A query whose labels have a share of the ranking. An adapter takes both apart. */
function distilled(query, share) {
  if (values.train === 'adapter') return query
  const { rows, scores } = query.ranked
  const labels = new Map()
  distilTarget(scores).forEach((value, i) => {
    labels.set(rows[i], share * value)
  })
  for (const row of share < 1 ? query.relevant : []) {
    labels.set(row, (labels.get(row) ?? 0) + (1 - share) / query.relevant.length)
  }
  return { ...query, labels: { rows: [...labels.keys()], values: [...labels.values()] } }
}
