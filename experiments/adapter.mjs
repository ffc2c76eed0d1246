/**
 * Measures what a linear query adapter gains on held-out queries (`kith train --adapter linear`), on NFCorpus and
 * SciFact: nDCG@10 and Recall@100 of search, and nDCG@10 after reranking.
 *
 *   node experiments/adapter.mjs FOLDER [--study recipes|draws|curve|evidence|decision] [--draws 3]
 *     [--labels even|bm25-10] [--targets one-hot,mixed] [--model MODEL --query-prefix TEXT] [--work FOLDER]
 *
 * - `recipes`: no labels, one label per query (drawn from its judged documents), both, all labels.
 * - `draws`: one label per query, search alone; for more draws.
 * - `curve`: labels and ranking of 100, 300, 1,000 and 2,000 queries.
 * - `evidence`: evidence-based labels instead of one label, each with the shrinkage that is best on dev
 *   and on a held-out fifth of the training queries (draw 0).
 * - `decision`: which measure of held-out queries with one label tells whether all judgments gain.
 *
 * FOLDER has BEIR's layout, with train and test judgments (../shared/data/nfcorpus, ../shared/data/scifact).
 * Nothing is chosen on test. Results of fits are kept in the working folder.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { QueryEncoder } from '@kith/train'
import {
  adapterQueries,
  evidenceLabels,
  fitAdapter,
  inverseTemperatureFor,
  inverseTemperatureOf,
  shrinkageOf,
} from '@kith/train/fit'
import { MEASURES, openData } from './adapter-data.mjs'
import { mean, printPart, printRows, signed } from './adapter-table.mjs'

const studies = {
  recipes: studyRecipes,
  draws: studyDraws,
  curve: studyCurve,
  evidence: studyEvidence,
  decision: studyDecision,
}
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    study: { type: 'string', default: 'recipes' },
    draws: { type: 'string', default: '3' },
    labels: { type: 'string', default: 'even' },
    targets: { type: 'string', default: 'one-hot,uniform,geometric,rnn,mixed,joint' },
    model: { type: 'string' },
    'query-prefix': { type: 'string' },
    work: {
      type: 'string',
      default: fileURLToPath(new URL('../demo-output/experiments/adapter', import.meta.url)),
    },
  },
})
const [folder] = positionals
if (!folder || !existsSync(join(folder, 'qrels/train.tsv')) || !studies[values.study]) {
  console.error(
    'usage: node experiments/adapter.mjs DATASET; the dataset needs train and test judgments',
  )
  console.error(`studies: ${Object.keys(studies).join(', ')}`)
  process.exit(2)
}
const DRAWS = Number(values.draws)
const data = await openData(folder, { ...values, queryPrefix: values['query-prefix'] })
const { docs, training, judged } = data
const measuredTemperature = inverseTemperatureFor(training, docs)
console.log(`${data.name}: T ${measuredTemperature}, ${training.length} training queries`)
const plain = {}
for (const split of ['dev', 'test']) {
  if (judged[split]) plain[split] = await data.measured(judged[split], data.queriesOf(split))
}
const reranks = values.study === 'recipes'
if (reranks) plain.reranked = await data.reranked('plain', data.queriesOf('test'))
await studies[values.study]()
process.exit(0)

/** Each recipe, on several draws if it depends on the draw. */
async function studyRecipes() {
  const rows = []
  const recipes = ['ranking', 'labels', 'ranking+labels', ...(data.hasMany ? ['judgments'] : [])]
  for (const recipe of recipes) {
    const drawn = recipe.includes('labels') && data.hasMany
    const found = []
    for (let draw = 0; draw < (drawn ? DRAWS : 1); draw++) {
      const queries = drawn ? await data.labeled(draw) : training
      const name = `${recipe} ${drawn ? `${values.labels} ${draw}` : ''}`
      found.push(await fitted(name, queries, { recipe }))
    }
    rows.push({ name: recipe, found })
  }
  printRows(plain, rows)
  const { apart } = data
  if (apart.size === 0) return
  const isApart = plain.test.queries.map((query) => apart.has(query))
  printPart('Without a relevant document of training', plain, rows, isApart)
  const isShared = isApart.map((is) => !is)
  printPart('With a relevant document of training', plain, rows, isShared)
}

/** One label per query, many draws. */
async function studyDraws() {
  const found = []
  for (let draw = 0; draw < DRAWS; draw++) {
    const name = `labels ${values.labels} ${draw}`
    found.push(await fitted(name, await data.labeled(draw), { recipe: 'labels' }))
  }
  printRows(plain, [{ name: 'labels', found }])
}

/** The gain by the number of training queries. */
async function studyCurve() {
  const rows = []
  for (const count of [100, 300, 1000, 2000]) {
    const found = []
    for (let draw = 0; draw < DRAWS; draw++) {
      const [some] = data.split(await data.labeled(draw), count, draw)
      found.push(await fitted(`curve ${count} ${draw}`, some, { recipe: 'ranking+labels' }))
    }
    rows.push({ name: `${count} queries`, found })
  }
  printRows(plain, rows)
}

/** Evidence-based labels, each with its own shrinkage: the best on held-out training queries and dev. */
async function studyEvidence() {
  const few = { labelDepth: 4, boost: 3, contextSize: 200 }
  const usual = usualShrinkage('labels')
  const [heldOut] = data.split(training, 0.2)
  const out = new Set(heldOut.map(({ id }) => id))
  const qrels = new Map(heldOut.map(({ id }) => [id, judged.train.get(id)]))
  const before = await data.measured(qrels, heldOut, ['nDCG@10'])
  const rows = []
  for (const target of values.targets.split(',')) {
    const softened = async (draw) => {
      const one = await data.labeled(draw)
      if (target === 'one-hot') return one
      const settings = target === 'uniform' ? { ...few, epsilon: 0.25 } : few
      return evidenceLabels(one, { ...settings, target }, docs)
    }
    const name = `evidence ${values.labels} ${target}`
    const soft = await softened(0)
    const learned = soft.filter(({ id }) => !out.has(id))
    const tried = []
    for (const factor of [1, 4, 0.25]) {
      const shrinkage = usual * factor
      const job = { recipe: 'labels', shrinkage, heldOut: { queries: heldOut, qrels } }
      const found = await fitted(`${name} held out`, learned, job)
      const whole = await fitted(`${name} 0`, soft, { recipe: 'labels', shrinkage })
      const gains = [
        ...found.heldOut['nDCG@10'].map((value, q) => value - before.perQuery['nDCG@10'][q]),
        ...whole.dev['nDCG@10'].map((value, q) => value - plain.dev.perQuery['nDCG@10'][q]),
      ]
      const gain = mean(gains)
      console.log(
        `  ${target}, Λ ${shrinkage}: ${signed(gain)} on ${gains.length} held-out queries`,
      )
      tried.push({ shrinkage, gain })
    }
    const { shrinkage } = tried.reduce((a, b) => (b.gain > a.gain ? b : a))
    const found = []
    for (let draw = 0; draw < DRAWS; draw++) {
      const job = { recipe: 'labels', shrinkage }
      found.push(await fitted(`${name} ${draw}`, await softened(draw), job))
    }
    rows.push({ name: `${target}, Λ ${shrinkage}`, found })
  }
  printRows(plain, rows, { against: 0 })
}

/** How often each measure with one label has the same sign as nDCG@10 with all judgments. */
async function studyDecision() {
  const usual = usualShrinkage('labels')
  const measures = ['nDCG@10', 'nDCG@100', 'Recall@100']
  for (const factor of [1, 0.25]) {
    const right = new Map(measures.map((measure) => [measure, 0]))
    const gains = []
    for (let draw = 0; draw < DRAWS; draw++) {
      const [queries, learned] = data.split(await data.labeled(draw), 0.2, draw)
      const one = new Map(queries.map(({ id, relevant }) => [id, labelOf(relevant[0])]))
      const all = new Map(queries.map(({ id }) => [id, judged.train.get(id)]))
      const test = async (of) => ({
        all: (await data.measured(all, of, ['nDCG@10'])).mean['nDCG@10'],
        ...(await data.measured(one, of, measures)).mean,
      })
      const model = await fitOf(learned, { recipe: 'labels', shrinkage: usual * factor })
      const [before, after] = [await test(queries), await test(await adaptedBy(model, queries))]
      const truth = after.all - before.all
      gains.push(truth)
      for (const measure of measures) {
        const said = after[measure] - before[measure]
        if (said > 0 === truth > 0) right.set(measure, right.get(measure) + 1)
      }
    }
    console.log(
      `Λ ${usual * factor}: all judgments ${gains.map(signed).join(' ')}; right signs of ${DRAWS}:`,
      [...right].map(([measure, count]) => `${measure} ${count}`).join(', '),
    )
  }
}

function labelOf(row) {
  return new Map([[docs.idOf(row), 1]])
}

function usualShrinkage(recipe) {
  return shrinkageOf(recipe, inverseTemperatureOf(recipe, measuredTemperature))
}

/** Fits an adapter to queries. */
async function fitOf(queries, { recipe, shrinkage = usualShrinkage(recipe) }) {
  const inverseTemperature = inverseTemperatureOf(recipe, measuredTemperature)
  const job = { documents: docs, inverseTemperature, shrinkage, threads: 1 }
  const { model } = await fitAdapter({ ...job, queries: adapterQueries(queries, recipe) })
  return model
}

/** Fits an adapter and measures it on dev and test, or on held-out queries; kept figures are taken. */
async function fitted(name, queries, { heldOut, ...job }) {
  const { recipe, shrinkage = usualShrinkage(recipe) } = job
  const key = `${name}, Λ ${shrinkage}`
  const file = data.at('fits.jsonl')
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const known = kept.map((line) => JSON.parse(line)).find((one) => one.key === key)
  if (known && (!reranks || known.reranked)) return known
  const cpu = process.cpuUsage()
  const model = await fitOf(queries, job)
  const { user, system } = process.cpuUsage(cpu)
  const result = { key, queries: queries.length, seconds: (user + system) / 1e6 }
  const lists = ({ perQuery }) => {
    return Object.fromEntries(Object.entries(perQuery).map(([of, list]) => [of, Array.from(list)]))
  }
  if (heldOut) {
    const adapted = await adaptedBy(model, heldOut.queries)
    result.heldOut = lists(await data.measured(heldOut.qrels, adapted, ['nDCG@10']))
  } else {
    for (const split of ['dev', 'test']) {
      if (!plain[split]) continue
      const adapted = await adaptedBy(model, data.queriesOf(split))
      result[split] = lists(await data.measured(judged[split], adapted, MEASURES))
      if (split === 'test' && reranks) {
        result.reranked = lists(await data.reranked('adapted', adapted))
      }
    }
  }
  appendFileSync(file, `${JSON.stringify(result)}\n`)
  const gains = ['dev', 'test'].flatMap((split) =>
    result[split] ? [signed(mean(result[split]['nDCG@10']) - plain[split].mean['nDCG@10'])] : [],
  )
  console.log(`  ${key}: ${gains.join(' ')} (${result.seconds.toFixed(1)} s)`)
  return result
}

async function adaptedBy(model, queries) {
  const encoder = await QueryEncoder.open(model)
  const { data: numbers, dimensions } = await encoder.encode(queries)
  await encoder.close()
  return queries.map(({ id }, q) => {
    return { id, vector: numbers.slice(q * dimensions, (q + 1) * dimensions) }
  })
}
