/**
 * What a linear query adapter gains on held-out queries (`kith train --adapter linear`), on NFCorpus and
 * SciFact: nDCG@10 and Recall@100 of search, and nDCG@10 after reranking.
 *
 *   node experiments/adapter.mjs FOLDER [--study recipes|curve|evidence] [--draws 3] [--labels even|bm25-10]
 *     [--model MODEL --query-prefix TEXT] [--work FOLDER]
 *
 * - `recipes`: no labels, one label per query (a draw of those that are judged), both, all labels.
 * - `curve`: labels and ranking of 100, 300, 1,000 and 2,000 queries.
 * - `evidence`: evidence-based labels instead of one label, each with the shrinkage that is best on dev.
 *
 * FOLDER has BEIR's layout, with train and test judgments (../shared/data/nfcorpus, ../shared/data/scifact).
 * Nothing is chosen on test. Results of fits are kept in the working folder.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { seededFraction } from '@kith/base/random'
import { drawSparse } from '@kith/datasets'
import {
  compare,
  evaluate,
  openEmbeddings,
  RunBuilder,
  readQrels,
  readRun,
  readTexts,
  writeEmbeddings,
  writeRun,
} from '@kith/ir'
import { holm } from '@kith/ir/internal'
import { encodeTexts } from '@kith/pipelines/encode'
import { rerankRun } from '@kith/pipelines/rerank'
import { searchExact } from '@kith/stores'
import { QueryEncoder } from '@kith/train'
import {
  adapterQueries,
  evidenceLabels,
  fitAdapter,
  inverseTemperatureFor,
  shrinkageOf,
} from '@kith/train/fit'
import { searchBm25 } from './bm25.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    study: { type: 'string', default: 'recipes' },
    draws: { type: 'string', default: '3' },
    labels: { type: 'string', default: 'even' },
    model: { type: 'string' },
    'query-prefix': { type: 'string' },
    work: {
      type: 'string',
      default: fileURLToPath(new URL('../demo-output/experiments/adapter', import.meta.url)),
    },
  },
})
const [folder] = positionals
if (!folder || !existsSync(join(folder, 'qrels/train.tsv'))) {
  console.error('the first argument is a dataset with train and test judgments')
  process.exit(2)
}
const DRAWS = Number(values.draws)
const MEASURES = ['nDCG@10', 'Recall@100']
const own = join(values.work, basename(folder), basename(values.model ?? 'all-MiniLM-L6-v2'))
mkdirSync(own, { recursive: true })
const at = (name) => join(own, name)

const judged = {}
for (const split of ['train', 'dev', 'test']) {
  const file = join(folder, `qrels/${split}.tsv`)
  if (existsSync(file)) judged[split] = await readQrels(file)
}
const corpus = join(folder, 'corpus.jsonl')
// The training queries of some datasets are in a file of their own, and may have the ids of test queries.
const trainFile = join(folder, 'queries.train.jsonl')
const texts = { test: join(folder, 'queries.jsonl') }
texts.dev = texts.test
texts.train = existsSync(trainFile) ? trainFile : texts.test
const docs = await openEmbeddings(await embeddingsOf(corpus, 'docs'))
const vectors = {}
for (const split of Object.keys(judged)) {
  const name = texts[split] === trainFile ? 'queries.train' : 'queries'
  vectors[split] = await openEmbeddings(await embeddingsOf(texts[split], name))
}
const training = await trainingQueries()
const inverseTemperature = inverseTemperatureFor(training, docs)
console.log(
  `${basename(folder)}, ${basename(own)}: T ${inverseTemperature}, ${training.length} queries`,
)
const apart = apartFromTraining()
const plain = {}
for (const split of Object.keys(judged)) {
  if (split !== 'train') plain[split] = await measured(split, queriesOf(split))
}
if (values.study === 'recipes') plain.reranked = await rerankedFigures('plain', queriesOf('test'))

if (values.study === 'recipes') await studyRecipes()
else if (values.study === 'curve') await studyCurve()
else await studyEvidence()
process.exit(0)

/** Each recipe, on three draws where it depends on the draw. */
async function studyRecipes() {
  const rows = []
  for (const recipe of ['ranking', 'labels', 'ranking+labels', 'judgments']) {
    const sparse = recipe.includes('labels') && labelsPerQuery() > 1.5
    const found = []
    for (let draw = 0; draw < (sparse ? DRAWS : 1); draw++) {
      const shrinkage = shrinkageOf(recipe, inverseTemperature)
      const queries = sparse ? await labeled(draw) : training
      found.push(await fitted(`${recipe} ${sparse ? draw : ''}`, queries, recipe, shrinkage))
    }
    rows.push({ name: recipe, found })
  }
  printRows(rows)
}

/** The gain by the number of training queries. */
async function studyCurve() {
  const recipe = 'ranking+labels'
  const shrinkage = shrinkageOf(recipe, inverseTemperature)
  const rows = []
  for (const count of [100, 300, 1000, 2000]) {
    const found = []
    for (let draw = 0; draw < DRAWS; draw++) {
      const all = await labeled(draw)
      const some = all
        .map((query) => ({ query, place: seededFraction(draw, `curve ${query.id}`) }))
        .sort((a, b) => a.place - b.place)
        .slice(0, count)
        .map(({ query }) => query)
      found.push(await fitted(`curve ${count} ${draw}`, some, recipe, shrinkage))
    }
    rows.push({ name: `${count} queries`, found })
  }
  printRows(rows)
}

/** Evidence-based labels, each with its own shrinkage: the best of three on dev, draw 0. */
async function studyEvidence() {
  const few = { labelDepth: 4, boost: 3, contextSize: 200 }
  const targets = ['one-hot', 'uniform', 'geometric', 'rnn', 'mixed', 'joint']
  const usual = shrinkageOf('labels', inverseTemperature)
  const rows = []
  for (const target of targets) {
    const softened = async (draw) => {
      const one = await labeled(draw)
      if (target === 'one-hot') return one
      const settings = target === 'uniform' ? { ...few, epsilon: 0.25 } : few
      return evidenceLabels(one, { ...settings, target }, docs)
    }
    const name = (draw, factor) => `evidence ${values.labels} ${target} ${draw} ${factor}`
    const tried = []
    for (const factor of [1, 4, 0.25]) {
      const found = await fitted(name(0, factor), await softened(0), 'labels', usual * factor)
      tried.push({ factor, found, dev: mean(found.dev['nDCG@10']) })
    }
    const best = tried.reduce((a, b) => (b.dev > a.dev ? b : a))
    const found = [best.found]
    for (let draw = 1; draw < DRAWS; draw++) {
      const queries = await softened(draw)
      found.push(await fitted(name(draw, best.factor), queries, 'labels', usual * best.factor))
    }
    rows.push({ name: `${target}, Λ ${usual * best.factor}`, found })
  }
  printRows(rows)
}

/** Fits an adapter and measures it on dev and test; kept figures are taken. */
async function fitted(name, queries, recipe, shrinkage) {
  const key = `${name}, Λ ${shrinkage}`
  const file = at('fits.jsonl')
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const known = kept.map((line) => JSON.parse(line)).find((one) => one.key === key)
  if (known) return known
  const cpu = process.cpuUsage()
  const { model, state } = await fitAdapter({
    ...{ documents: docs, inverseTemperature, shrinkage, threads: 1 },
    queries: adapterQueries(queries, recipe),
  })
  const { user, system } = process.cpuUsage(cpu)
  const encoder = await QueryEncoder.open(model)
  const { iteration: iterations } = state
  const result = { key, queries: queries.length, iterations, seconds: (user + system) / 1e6 }
  for (const split of Object.keys(plain)) {
    if (split === 'reranked') continue
    const adapted = await adaptedBy(encoder, queriesOf(split))
    const figures = await measured(split, adapted)
    for (const measure of MEASURES) {
      result[split] = { ...result[split], [measure]: Array.from(figures.perQuery[measure]) }
    }
    if (split === 'test' && values.study === 'recipes') {
      const after = await rerankedFigures('adapted', adapted)
      result.reranked = { 'nDCG@10': Array.from(after.perQuery['nDCG@10']) }
    }
  }
  await encoder.close()
  appendFileSync(file, `${JSON.stringify(result)}\n`)
  const gains = ['dev', 'test'].map((split) =>
    result[split] ? (mean(result[split]['nDCG@10']) - plain[split].mean['nDCG@10']).toFixed(4) : '',
  )
  console.log(
    `  ${key}: ${gains.join(' ')} (${iterations} iterations, ${result.seconds.toFixed(1)} s)`,
  )
  return result
}

/** A table: gains over search without an adapter, averaged over draws; p values corrected over rows. */
function printRows(rows) {
  const columns = [
    ['dev', 'nDCG@10', 'dev nDCG@10'],
    ['test', 'nDCG@10', 'test nDCG@10'],
    ['test', 'Recall@100', 'test Recall@100'],
    ['reranked', 'nDCG@10', 'test nDCG@10, reranked'],
  ].filter(([split]) => plain[split])
  const cells = columns.map(([split, measure]) => {
    const base = plain[split]
    const gains = rows.map(({ found }) => gainOf(base, split, measure, found))
    const p = holm(gains.map(({ p }) => p))
    return gains.map(({ gain, each }, i) => `${signed(gain)}, p ${p[i].toFixed(4)}${each}`)
  })
  const before = columns.map(([split, measure]) => plain[split].mean[measure].toFixed(4))
  console.log(`\n| | ${columns.map(([, , head], i) => `${head} (${before[i]})`).join(' | ')} |`)
  console.log(`|---|${columns.map(() => '---|').join('')}`)
  rows.forEach(({ name }, i) => {
    console.log(`| ${name} | ${cells.map((column) => column[i]).join(' | ')} |`)
  })
  if (apart.size === judged.test.size) return
  const is = plain.test.queries.map((query) => apart.has(query))
  const part = (list) => mean(Array.from(list).filter((_, i) => is[i]))
  console.log(`\nThe ${apart.size} test queries without a relevant document of training, nDCG@10:`)
  console.log(`plain ${part(plain.test.perQuery['nDCG@10']).toFixed(4)}`)
  for (const { name, found } of rows) {
    const figures = found.map(({ test }) => part(test['nDCG@10']))
    const gains = found.map(({ test }) => ({
      queries: [...apart.keys()],
      measures: MEASURES,
      perQuery: { 'nDCG@10': Float64Array.from(test['nDCG@10'].filter((_, i) => is[i])) },
    }))
    const base = {
      ...gains[0],
      perQuery: { 'nDCG@10': plain.test.perQuery['nDCG@10'].filter((_, i) => is[i]) },
    }
    const { difference, randomization } = compare(base, gains[0], 'nDCG@10')
    console.log(
      `${name} ${mean(figures).toFixed(4)} (${signed(difference)}, p ${randomization.toFixed(3)})`,
    )
  }
}

/** The mean gain over draws, and the p value of the queries' means. */
function gainOf(base, split, measure, found) {
  const lists = found.map((one) => one[split][measure])
  const averaged = Float64Array.from(lists[0], (_, i) => mean(lists.map((list) => list[i])))
  const now = { ...base, perQuery: { ...base.perQuery, [measure]: averaged } }
  const { difference, randomization } = compare(base, now, measure)
  const each = lists.map((list) => signed(mean(list) - base.mean[measure]))
  return { gain: difference, p: randomization, each: each.length > 1 ? ` (${each.join(' ')})` : '' }
}

async function embeddingsOf(input, name) {
  const ready = join(folder, `embeddings/all-MiniLM-L6-v2/${name}.npy`)
  if (values.model === undefined && existsSync(ready)) return ready
  const out = at(`${name}.npy`)
  const query = name === 'docs' ? {} : { role: 'query', queryPrefix: values['query-prefix'] }
  if (!existsSync(out)) {
    await encodeTexts({ model: values.model, maxTokens: 256, threads: 1, input, ...query, out })
  }
  return out
}

function queriesOf(split) {
  const embeddings = vectors[split]
  return [...judged[split].keys()].map((id) => {
    const row = embeddings.rowOf(id)
    return { id, vector: embeddings.read(row, row + 1) }
  })
}

async function searched(queries, top) {
  const { dimensions } = docs
  const data = new Float32Array(queries.length * dimensions)
  queries.forEach(({ vector }, q) => {
    data.set(vector, q * dimensions)
  })
  return searchExact({ data, rows: queries.length, dimensions }, docs, { top, metric: 'dot' })
}

async function runOf(queries, top) {
  const found = await searched(queries, top)
  const run = new RunBuilder()
  queries.forEach(({ id: query }, q) => {
    const [from, to] = [q * found.perQuery, (q + 1) * found.perQuery]
    const ids = Array.from(found.rows.subarray(from, to), (row) => docs.idOf(row))
    run.add({ query, ids, scores: found.scores.subarray(from, to) })
  })
  return run.finish()
}

async function measured(split, queries) {
  return evaluate(judged[split], await runOf(queries, 100), MEASURES)
}

/** The figures of test queries after reranking. */
async function rerankedFigures(name, queries) {
  const [run, embeddings, out] = ['trec', 'npy', 'reranked.trec'].map((end) => at(`${name}.${end}`))
  await writeRun(run, await runOf(queries, 200))
  const ids = queries.map(({ id }) => id)
  const rows = queries.map(({ vector }) => vector)
  await writeEmbeddings(embeddings, { dimensions: docs.dimensions, ids }, rows)
  const files = { docs: await embeddingsOf(corpus, 'docs'), corpus, queryText: texts.test }
  await rerankRun({ run, queries: embeddings, ...files, workers: 1, out })
  return evaluate(judged.test, await readRun(out), ['nDCG@10'])
}

async function adaptedBy(encoder, queries) {
  const { data, dimensions } = await encoder.encode(queries)
  return queries.map(({ id }, q) => {
    return { id, vector: data.slice(q * dimensions, (q + 1) * dimensions) }
  })
}

/** The training queries with candidates, all judgments, and what the ranking teaches. */
async function trainingQueries() {
  const queries = queriesOf('train')
  const [run, reranked] = [at('train.trec'), at('train.reranked.trec')]
  if (!existsSync(reranked)) {
    await writeRun(run, await runOf(queries, 200))
    const name = texts.train === trainFile ? 'queries.train' : 'queries'
    await rerankRun({
      ...{
        run,
        queries: await embeddingsOf(texts.train, name),
        docs: await embeddingsOf(corpus, 'docs'),
      },
      ...{ corpus, queryText: texts.train, workers: 1, out: reranked },
    })
  }
  const taught = await readRun(reranked)
  const found = await searched(queries, 200)
  return queries.map((query, q) => {
    const { ids, scores } = taught.get(query.id)
    const powers = Array.from(scores.slice(0, 50), (score) => Math.exp(2 * (score - scores[0])))
    const sum = powers.reduce((a, b) => a + b, 0)
    return {
      ...query,
      retrieved: found.rows.slice(q * found.perQuery, (q + 1) * found.perQuery),
      relevant: relevantTo(query.id),
      taught: {
        rows: ids.slice(0, 50).map((id) => docs.rowOf(id)),
        values: powers.map((power) => power / sum),
      },
    }
  })
}

function relevantTo(query) {
  const relevant = [...judged.train.get(query)].filter(([, grade]) => grade > 0).sort()
  return relevant.map(([id]) => docs.rowOf(id)).filter((row) => row !== undefined)
}

function labelsPerQuery() {
  return mean(training.map(({ relevant }) => relevant.length))
}

/** The training queries with one of their relevant documents; biased draws leave queries out. */
async function labeled(draw) {
  if (values.labels === 'even') {
    return training.map((query) => {
      const { id, relevant } = query
      return {
        ...query,
        relevant: [relevant[Math.floor(seededFraction(draw, id) * relevant.length)]],
      }
    })
  }
  const file = at('bm25.trec')
  if (!existsSync(file)) {
    const [documents, asked] = [[], []]
    for await (const entry of readTexts(corpus)) documents.push(entry)
    for await (const entry of readTexts(texts.train)) {
      if (judged.train.has(entry.id)) asked.push(entry)
    }
    await writeRun(file, searchBm25(documents, asked, 10))
  }
  const depth = Number(values.labels.split('-')[1])
  const { qrels } = drawSparse(judged.train, await readRun(file), { seed: draw, depth })
  return training.flatMap((query) => {
    const [first] = qrels.get(query.id)?.keys() ?? []
    return first === undefined ? [] : [{ ...query, relevant: [docs.rowOf(first)] }]
  })
}

/** The test queries that share no relevant document with a training query. */
function apartFromTraining() {
  const seen = new Set([...judged.train.values()].flatMap((one) => [...one.keys()]))
  const alone = [...judged.test].filter(([, one]) => ![...one.keys()].some((id) => seen.has(id)))
  return alone.length > 0 ? new Map(alone) : judged.test
}

function mean(list) {
  return list.reduce((a, b) => a + b, 0) / list.length
}

function signed(value) {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(4)}`
}
