/**
 * Fits the models of estimated relevance and of on-topic queries (docs/method.md section 4), judges
 * them leave-one-dataset-out beside METHOD's coefficients on the same data, and prints tables.
 *
 *   node experiments/relevance.mjs FOLDER [--extra FOLDER]
 *
 * FOLDER has cranfield, cisi, scifact, trec-dl-2019-judged and nfcorpus in BEIR's layout with
 * embeddings/all-MiniLM-L6-v2. Models are fitted on the test queries of the first four and on
 * NFCorpus' dev queries, with the same weight for each dataset; NFCorpus' test queries are reported
 * only. `--extra` is one more dataset to fit on, with the embeddings in the same place.
 */
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { background, prepareText, termStatistics } from '@kith/core'
import { calibrated, expectedBest, neverRising, relevanceFeatures } from '@kith/core/internal'
import { openEmbeddings, readQrels, readTexts } from '@kith/ir'
import { calibrate as calibrateOn } from '@kith/ir/internal'

/** Candidates of a query, and hits that have an estimate. */
const [DEPTH, HITS] = [200, 20]
/** Queries of other datasets that each dataset is asked. */
const STRANGERS = 60

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { extra: { type: 'string' } },
})
const [folder] = positionals
if (!folder) {
  console.error('say which folder has the datasets')
  process.exit(2)
}

/** The coefficients that the method was published with: intercept, then the inputs in their order. */
const published = {
  hit: [-4.665, 0.337, 1.115, 0.659, 1.2175],
  query: [4.093, 2.294, -1.029, 6.022, 2.864, 0.987],
}

const sources = [
  { name: 'cranfield' },
  { name: 'cisi' },
  { name: 'scifact' },
  { name: 'trec-dl-2019-judged', level: 2 },
  { name: 'nfcorpus', split: 'dev' },
  ...(values.extra ? [{ name: basename(values.extra), path: values.extra }] : []),
]
const reported = [{ name: 'nfcorpus', split: 'test' }]

const fitted = []
for (const source of sources) fitted.push(await open(source))
const tests = []
for (const source of reported) tests.push(await open(source))
for (const one of [...fitted, ...tests]) {
  const others = fitted.filter(({ name }) => name !== one.name)
  one.strangers = others.flatMap(({ queries }) =>
    spread(queries, Math.ceil(STRANGERS / others.length)).map(({ vector, text }) =>
      one.ask(vector, text),
    ),
  )
}

reportHits()
reportQueries()

/** A dataset's background and the features of its queries. */
async function open({ name, split = 'test', level = 1, path = join(folder, name) }) {
  const label = split === 'test' ? name : `${name} ${split}`
  process.stderr.write(`reading ${label} …\n`)
  const embeddings = join(path, 'embeddings/all-MiniLM-L6-v2')
  const docs = await readRows(join(embeddings, 'docs.npy'))
  const asked = await readRows(join(embeddings, 'queries.npy'))
  const texts = new Map()
  for await (const { id, title, text } of readTexts(join(path, 'corpus.jsonl'))) {
    texts.set(id, prepareText({ title, text }))
  }
  const queryTexts = new Map()
  for await (const { id, text } of readTexts(join(path, 'queries.jsonl'))) queryTexts.set(id, text)
  const qrels = await readQrels(join(path, `qrels/${split}.tsv`))
  const known = {
    statistics: termStatistics(texts.values()),
    background: background({ data: docs.data, rows: docs.ids.length, dimensions: docs.dimensions }),
  }
  const ask = (vector, text) => {
    const rows = nearest(vector, docs)
    const vectors = rows.map((row) => docs.rows[row])
    const candidates = { vectors, texts: rows.map((row) => texts.get(docs.ids[row])) }
    const { hits, query } = relevanceFeatures({ vector, text }, candidates, known)
    return { hits: hits.map((hit) => ({ ...hit, id: docs.ids[rows[hit.index]] })), query }
  }
  const queries = asked.ids.flatMap((id, row) => {
    const judged = qrels.get(id)
    const relevant = new Set(
      [...(judged ?? [])].flatMap(([doc, grade]) => (grade >= level ? [doc] : [])),
    )
    if (relevant.size === 0) return []
    const vector = asked.rows[row]
    const text = queryTexts.get(id)
    const { hits, query } = ask(vector, text)
    return [
      {
        vector,
        text,
        query,
        hits: hits.map((hit) => ({ ...hit, relevant: relevant.has(hit.id) })),
      },
    ]
  })
  return { name, label, queries, ask }
}

async function readRows(file) {
  const opened = await openEmbeddings(file)
  const { rows: count, dimensions } = opened
  const data = opened.read(0, count)
  await opened.close()
  const ids = Array.from({ length: count }, (_, i) => opened.idOf(i))
  const rows = ids.map((_, i) => data.subarray(i * dimensions, (i + 1) * dimensions))
  return { data, dimensions, rows, ids }
}

function nearest(query, { rows }) {
  const scores = Float32Array.from(rows, (row) => {
    let sum = 0
    for (let j = 0; j < row.length; j++) sum += row[j] * query[j]
    return sum
  })
  const cut = scores.toSorted().at(-Math.min(DEPTH, scores.length))
  return Array.from(scores.keys())
    .filter((row) => scores[row] >= cut)
    .sort((a, b) => scores[b] - scores[a] || a - b)
    .slice(0, DEPTH)
}

/** Some of a list, evenly over it. */
function spread(list, count) {
  return Array.from(
    { length: Math.min(count, list.length) },
    (_, i) => list[Math.floor((i * list.length) / count)],
  )
}

function reportHits() {
  const inputs = ({ similarity, coverage, rank, score }) => [
    similarity,
    coverage,
    Math.log(rank),
    score,
  ]
  const clipped = [true, true, false, true]
  const samplesOf = ({ queries }) =>
    queries.flatMap(({ hits }) => hits.map((hit) => ({ x: inputs(hit), y: Number(hit.relevant) })))
  console.log('\nEstimated relevance, each dataset judged by a model of the others\n')
  console.log(
    '| left out | relevant in the first 20 | AUC (score alone) | ECE | Brier (constant) | F1 of the cutoff | fixed 3 / 5 / 10 / best | with the published model: AUC, ECE, F1 | the published model with 10 judged queries: ECE, F1 |',
  )
  console.log('|---|---|---|---|---|---|---|---|---|')
  for (const one of [...fitted, ...tests]) {
    const model = fit(fitted.filter(({ name }) => name !== one.name).map(samplesOf), clipped)
    const own = judge(one, (hit) => predict(model, inputs(hit)))
    const before = judge(one, (hit) => predict(withClips(published.hit, model), inputs(hit)))
    const few = calibrate(one, (hit) => predict(withClips(published.hit, model), inputs(hit)))
    const fixed = own.fixed.map((value) => value.toFixed(3)).join(' / ')
    console.log(
      `| ${one.label} | ${own.prevalence.toFixed(3)} | ${own.auc.toFixed(3)} (${own.scoreAuc.toFixed(3)}) | ${own.ece.toFixed(3)} | ${own.brier.toFixed(3)} (${(own.prevalence * (1 - own.prevalence)).toFixed(3)}) | ${own.f1.toFixed(3)} | ${fixed} | ${before.auc.toFixed(3)}, ${before.ece.toFixed(3)}, ${before.f1.toFixed(3)} | ${few.ece.toFixed(3)}, ${few.f1.toFixed(3)} |`,
    )
  }
  print(
    'of a hit',
    ['similarity', 'coverage', 'ln rank', 'score'],
    fit(fitted.map(samplesOf), clipped),
  )
}

function reportQueries() {
  const inputs = ({ nearest: n, background: b, words, coverage, terms }) => [
    n,
    b,
    words,
    coverage,
    Math.log(1 + terms),
  ]
  const clipped = [true, true, true, true, false]
  const samplesOf = ({ queries, strangers }) => [
    ...queries.map(({ query }) => ({ x: inputs(query), y: 1, share: 1 / queries.length })),
    ...strangers.map(({ query }) => ({ x: inputs(query), y: 0, share: 1 / strangers.length })),
  ]
  console.log('\nOn-topic queries against those of other datasets\n')
  console.log('| left out | AUC | kept | refused | with the published model: AUC, kept, refused |')
  console.log('|---|---|---|---|---|')
  for (const one of [...fitted, ...tests]) {
    const model = fit(fitted.filter(({ name }) => name !== one.name).map(samplesOf), clipped)
    const told = (of) => {
      const all = samplesOf(one).map(({ x, y }) => ({ p: predict(of, x), y }))
      const rate = (wanted) => {
        const some = all.filter(({ y }) => y === wanted)
        return some.filter(({ p }) => p >= 0.5 === (wanted === 1)).length / some.length
      }
      return [aucOf(all).toFixed(3), ...[1, 0].map((y) => `${Math.round(100 * rate(y))} %`)]
    }
    console.log(
      `| ${one.label} | ${told(model).join(' | ')} | ${told(withClips(published.query, model)).join(', ')} |`,
    )
  }
  print(
    'of a query',
    ['nearest', 'background', 'words', 'coverage', 'ln (1 + terms)'],
    fit(fitted.map(samplesOf), clipped),
  )
}

function print(of, names, { weights, means, deviations }) {
  console.log(`\nThe model ${of}: ${weights[0].toFixed(4)}`)
  names.forEach((name, i) => {
    console.log(
      `  ${name}: ${weights[i + 1].toFixed(4)}, mean ${means[i].toFixed(3)}, deviation ${deviations[i].toFixed(3)}`,
    )
  })
}

/** Judges estimates: probabilities never rise from hit to hit, as in a list. */
function judge({ queries }, estimate) {
  return measure(queries.map(({ hits }) => ({ hits, p: neverRising(hits.map(estimate)) })))
}

/** F1 counts the relevant hits among the first 20; a query without one is left out. */
function measure(lists) {
  const all = lists.flatMap(({ hits, p }) =>
    hits.map((hit, i) => ({ p: p[i], y: Number(hit.relevant), score: hit.score })),
  )
  const prevalence = mean(all.map(({ y }) => y))
  const some = lists.filter(({ hits }) => hits.some(({ relevant }) => relevant))
  const f1 = ({ hits }, kept) => {
    const found = hits.slice(0, kept).filter(({ relevant }) => relevant).length
    return (2 * found) / (kept + hits.filter(({ relevant }) => relevant).length)
  }
  const ofFixed = (kept) => mean(some.map((list) => f1(list, kept)))
  const best = Math.max(...Array.from({ length: HITS }, (_, i) => ofFixed(i + 1)))
  return {
    prevalence,
    auc: withinQueries(lists, (list, i) => list.p[i]),
    scoreAuc: withinQueries(lists, (list, i) => list.hits[i].score),
    ece: calibrationError(all),
    brier: mean(all.map(({ p, y }) => (p - y) ** 2)),
    f1: mean(some.map((list) => f1(list, expectedBest(list.p)))),
    fixed: [ofFixed(3), ofFixed(5), ofFixed(10), best],
  }
}

/** The area under the curve over all hits of all queries. */
function withinQueries(lists, value) {
  return aucOf(
    lists.flatMap((list) =>
      list.hits.map((hit, i) => ({ p: value(list, i), y: Number(hit.relevant) })),
    ),
  )
}

/** Platt scaling on ten queries at a time, judged on the others. */
function calibrate({ queries }, estimate) {
  const lists = queries.map(({ hits }) => ({ hits, p: neverRising(hits.map(estimate)) }))
  const trials = Array.from({ length: 5 }, (_, t) => {
    const own = new Set(Array.from({ length: 10 }, (_, i) => (i * 7 + t * 13) % lists.length))
    const judged = [...own].map((i) => ({
      relevances: lists[i].p,
      relevant: lists[i].hits.map(({ relevant }) => relevant),
    }))
    const { calibration: platt } = calibrateOn(judged)
    const others = lists.filter((_, i) => !own.has(i))
    return measure(
      others.map(({ hits, p }) => ({ hits, p: p.map((value) => calibrated(value, platt)) })),
    )
  })
  return { ece: mean(trials.map(({ ece }) => ece)), f1: mean(trials.map(({ f1 }) => f1)) }
}

/** Logistic regression by Newton's method with the same weight for each dataset; a little ridge. */
function fit(datasets, clipped) {
  const samples = datasets.flatMap((list) => {
    const whole = list.reduce((sum, { share = 1 }) => sum + share, 0)
    return list.map(({ x, y, share = 1 }) => ({ x, y, weight: share / whole }))
  })
  const size = samples[0].x.length
  const whole = samples.reduce((sum, { weight }) => sum + weight, 0)
  const means = Array.from(
    { length: size },
    (_, i) => samples.reduce((sum, { x, weight }) => sum + weight * x[i], 0) / whole,
  )
  const deviations = means.map((own, i) =>
    Math.sqrt(samples.reduce((sum, { x, weight }) => sum + weight * (x[i] - own) ** 2, 0) / whole),
  )
  const model = { weights: new Array(size + 1).fill(0), means, deviations, clipped }
  const rows = samples.map(({ x, y, weight }) => ({ x: [1, ...clip(model, x)], y, weight }))
  for (let step = 0; step < 30; step++) {
    const gradient = new Array(size + 1).fill(0)
    const hessian = Array.from({ length: size + 1 }, (_, i) =>
      Array.from({ length: size + 1 }, (_, j) => (i === j ? 1e-6 : 0)),
    )
    for (const { x, y, weight } of rows) {
      const q = 1 / (1 + Math.exp(-x.reduce((sum, value, i) => sum + value * model.weights[i], 0)))
      for (let i = 0; i <= size; i++) {
        gradient[i] += weight * (q - y) * x[i]
        for (let j = 0; j <= size; j++) hessian[i][j] += weight * q * (1 - q) * x[i] * x[j]
      }
    }
    solve(hessian, gradient).forEach((change, i) => {
      model.weights[i] -= change
    })
  }
  return model
}

function withClips(weights, { means, deviations, clipped }) {
  return { weights, means, deviations, clipped }
}

function clip({ means, deviations, clipped }, x) {
  return x.map((value, i) =>
    clipped[i]
      ? Math.max(means[i] - 5 * deviations[i], Math.min(means[i] + 5 * deviations[i], value))
      : value,
  )
}

function predict(model, x) {
  const logit = clip(model, x).reduce(
    (sum, value, i) => sum + value * model.weights[i + 1],
    model.weights[0],
  )
  return Math.min(1 - 1e-9, Math.max(1e-9, 1 / (1 + Math.exp(-logit))))
}

function solve(matrix, vector) {
  const rows = matrix.map((row, i) => [...row, vector[i]])
  const size = rows.length
  for (let i = 0; i < size; i++) {
    const pivot = rows
      .slice(i)
      .reduce((best, row, k) => (Math.abs(row[i]) > Math.abs(rows[best][i]) ? i + k : best), i)
    ;[rows[i], rows[pivot]] = [rows[pivot], rows[i]]
    for (let k = 0; k < size; k++) {
      if (k === i) continue
      const factor = rows[k][i] / rows[i][i]
      for (let j = i; j <= size; j++) rows[k][j] -= factor * rows[i][j]
    }
  }
  return rows.map((row, i) => row[size] / row[i])
}

function aucOf(all) {
  const sorted = all.toSorted((a, b) => a.p - b.p)
  let [rankSum, positives] = [0, 0]
  for (let i = 0; i < sorted.length; ) {
    let end = i
    while (end < sorted.length && sorted[end].p === sorted[i].p) end++
    for (let k = i; k < end; k++)
      if (sorted[k].y) [rankSum, positives] = [rankSum + (i + end + 1) / 2, positives + 1]
    i = end
  }
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * (all.length - positives))
}

/** Expected calibration error over ten bins of the same width. */
function calibrationError(all) {
  const bins = Array.from({ length: 10 }, () => ({ p: 0, y: 0 }))
  for (const { p, y } of all) {
    const bin = bins[Math.min(9, Math.floor(p * 10))]
    bin.p += p
    bin.y += y
  }
  return bins.reduce((sum, { p, y }) => sum + Math.abs(p - y), 0) / all.length
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
