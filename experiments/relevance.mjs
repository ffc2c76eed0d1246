/**
 * Fits the models of estimated relevance and of on-topic queries (docs/method.md section 4), judges
 * them leave-one-dataset-out beside the models that Kith ships on the same data, and prints tables.
 *
 *   node experiments/relevance.mjs FOLDER [--extra FOLDER] [--report DATASET=EMBEDDINGS] [--generation 2]
 *
 * FOLDER has cranfield, cisi, scifact, trec-dl-2019-judged and nfcorpus in BEIR's layout with
 * embeddings/all-MiniLM-L6-v2. Models are fitted on the test queries of the first four and on
 * NFCorpus' dev queries, with the same weight for each dataset; NFCorpus' test queries are reported
 * only. `--extra` is one more dataset to fit on (docs.npy in it, or embeddings as above), `--report`
 * one more to report, with embeddings of another model (repeatable). `--generation 2` ranks without
 * window and title, as the ranking that the shipped models were fitted on.
 */
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  calibrated,
  estimateOnTopic,
  estimateRelevance,
  expectedBest,
  neverRising,
} from '@kith/core/internal'
import { calibrate as calibrateOn } from '@kith/ir/internal'
import { aucOf, calibrationError, fit, mean, predict } from './logistic.mjs'
import { openDataset } from './relevance-data.mjs'

/** Hits that have an estimate. */
const HITS = 20
/** Queries of other datasets that each dataset is asked. */
const STRANGERS = 60
/** Numbers of judged queries to calibrate on, and how often. */
const [JUDGED, TRIALS] = [[10, 20, 50], 5]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    extra: { type: 'string' },
    report: { type: 'string', multiple: true, default: [] },
    generation: { type: 'string', default: '3' },
  },
})
const [folder] = positionals
if (!folder) {
  console.error('usage: node experiments/relevance.mjs FOLDER; the folder with the datasets')
  process.exit(2)
}
const settings = values.generation === '2' ? { windowWeight: 0, titleWeight: 0 } : {}
const open = (source) => openDataset({ path: join(folder, source.name), ...source, settings })

const hitInputs = ({ similarity, coverage, rank, score }) => [
  similarity,
  coverage,
  Math.log(rank),
  score,
]
const queryInputs = ({ nearest, background, words, coverage, terms }) => [
  nearest,
  background,
  words,
  coverage,
  Math.log(1 + terms),
]

const fitted = []
for (const source of [
  { name: 'cranfield' },
  { name: 'cisi' },
  { name: 'scifact' },
  { name: 'trec-dl-2019-judged', level: 2 },
  { name: 'nfcorpus', split: 'dev' },
  ...(values.extra ? [{ name: basename(values.extra), path: values.extra }] : []),
]) {
  fitted.push(await open(source))
}
const tests = [await open({ name: 'nfcorpus' })]
for (const one of values.report) {
  const [path, embeddings] = one.split('=')
  tests.push(await open({ name: basename(path), path, embeddings }))
}
// The queries of other datasets come in the embeddings of one model.
for (const one of [...fitted, ...tests]) {
  const others = [...fitted, ...tests].filter(
    ({ name, label, model }) =>
      name !== one.name && model === one.model && (model || label !== 'nfcorpus'),
  )
  one.strangers = others.flatMap(({ queries }) =>
    spread(queries, Math.ceil(STRANGERS / others.length)).map(({ vector, text }) =>
      one.ask(vector, text),
    ),
  )
}
reportHits()
reportFewJudgments()
reportQueries()

/** Some of a list, evenly over it. */
function spread(list, count) {
  return Array.from(
    { length: Math.min(count, list.length) },
    (_, i) => list[Math.floor((i * list.length) / count)],
  )
}

function reportHits() {
  const clipped = [true, true, false, true]
  const samplesOf = ({ queries }) =>
    queries.flatMap(({ hits }) =>
      hits.map((hit) => ({ x: hitInputs(hit), y: Number(hit.relevant) })),
    )
  console.log('\nEstimated relevance, each dataset judged by a model of the others\n')
  console.log(
    '| left out | relevant in the first 20 | AUC (score alone) | ECE | Brier (constant) | F1 of the cutoff | fixed 3 / 5 / 10 / best | the shipped model: AUC, ECE, Brier, F1 |',
  )
  console.log('|---|---|---|---|---|---|---|---|')
  for (const one of [...fitted, ...tests]) {
    const model = fit(fitted.filter(({ name }) => name !== one.name).map(samplesOf), clipped)
    const own = judge(one, (hit) => predict(model, hitInputs(hit)))
    const { auc, ece, brier, f1 } = judge(one, estimateRelevance)
    const constant = own.prevalence * (1 - own.prevalence)
    console.log(
      `| ${labelOf(one)} | ${three(own.prevalence)} | ${three(own.auc)} (${three(own.scoreAuc)}) | ${three(own.ece)} | ${three(own.brier)} (${three(constant)}) | ${three(own.f1)} | ${own.fixed.map(three).join(' / ')} | ${[auc, ece, brier, f1].map(three).join(', ')} |`,
    )
  }
  const names = ['similarity', 'coverage', 'ln rank', 'score']
  print('of a hit', names, fit(fitted.map(samplesOf), clipped))
}

/** Platt scaling of the shipped model on few queries, judged on the others. */
function reportFewJudgments() {
  const header = JUDGED.map((count) => `${count}: ECE, F1`).join(' | ')
  console.log('\nThe shipped model with judged queries\n')
  console.log(`| dataset | none: ECE, F1 | ${header} | best fixed number: F1 |`)
  console.log(`|---|---|${JUDGED.map(() => '---|').join('')}---|`)
  for (const one of [...fitted, ...tests]) {
    const { ece, f1, fixed } = judge(one, estimateRelevance)
    const few = JUDGED.map((count) => {
      if (one.queries.length < 2 * count) return '–'
      const found = calibrateOnSome(one, count)
      return `${three(found.ece)}, ${three(found.f1)}`
    })
    console.log(
      `| ${labelOf(one)} | ${three(ece)}, ${three(f1)} | ${few.join(' | ')} | ${three(fixed.at(-1))} |`,
    )
  }
}

function reportQueries() {
  const clipped = [true, true, true, true, false]
  const samplesOf = ({ queries, strangers }) => [
    ...queries.map(({ query }) => ({ x: queryInputs(query), y: 1, share: 1 / queries.length })),
    ...strangers.map(({ query }) => ({ x: queryInputs(query), y: 0, share: 1 / strangers.length })),
  ]
  console.log('\nOn-topic queries against those of other datasets\n')
  console.log(
    '| left out | AUC | kept | refused | the shipped model: AUC, kept, refused | its AUC and kept of queries with a relevant hit |',
  )
  console.log('|---|---|---|---|---|---|')
  for (const one of [...fitted, ...tests]) {
    const { queries, strangers } = one
    if (strangers.length === 0) continue
    const others = fitted.filter(({ name }) => name !== one.name)
    const model = fit(others.map(samplesOf), clipped)
    const told = (estimate, some) => {
      const own = some.map(({ query }) => ({ p: estimate(query), y: 1 }))
      const other = strangers.map(({ query }) => ({ p: estimate(query), y: 0 }))
      const kept = mean(own.map(({ p }) => Number(p >= 0.5)))
      const refused = mean(other.map(({ p }) => Number(p < 0.5)))
      return [three(aucOf([...own, ...other])), percent(kept), percent(refused)]
    }
    const answered = queries.filter(({ hits }) => hits.some(({ relevant }) => relevant))
    const byModel = told((query) => predict(model, queryInputs(query)), queries)
    const shipped = told(estimateOnTopic, queries)
    console.log(
      `| ${labelOf(one)} | ${byModel.join(' | ')} | ${shipped.join(', ')} | ${told(estimateOnTopic, answered).slice(0, 2).join(', ')} (${answered.length} of ${queries.length}) |`,
    )
  }
  const names = ['nearest', 'background', 'words', 'coverage', 'ln (1 + terms)']
  print('of a query', names, fit(fitted.map(samplesOf), clipped))
}

function print(of, names, { weights, means, deviations }) {
  console.log(`\nThe model ${of}: ${weights[0].toFixed(4)}`)
  names.forEach((name, i) => {
    console.log(
      `  ${name}: ${weights[i + 1].toFixed(4)}, mean ${three(means[i])}, deviation ${three(deviations[i])}`,
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
  const some = lists.filter(({ hits }) => hits.some(({ relevant }) => relevant))
  const f1 = ({ hits }, kept) => {
    const found = hits.slice(0, kept).filter(({ relevant }) => relevant).length
    return (2 * found) / (kept + hits.filter(({ relevant }) => relevant).length)
  }
  const ofFixed = (kept) => mean(some.map((list) => f1(list, kept)))
  const best = Math.max(...Array.from({ length: HITS }, (_, i) => ofFixed(i + 1)))
  return {
    prevalence: mean(all.map(({ y }) => y)),
    auc: aucOf(all),
    scoreAuc: aucOf(all.map(({ score, y }) => ({ p: score, y }))),
    ece: calibrationError(all),
    brier: mean(all.map(({ p, y }) => (p - y) ** 2)),
    f1: mean(some.map((list) => f1(list, expectedBest(list.p)))),
    fixed: [ofFixed(3), ofFixed(5), ofFixed(10), best],
  }
}

/** The measures with a calibration on some queries, over the others; means of several draws. */
function calibrateOnSome({ queries }, count) {
  const lists = queries.map(({ hits }) => ({ hits, p: neverRising(hits.map(estimateRelevance)) }))
  const trials = Array.from({ length: TRIALS }, (_, t) => {
    const own = new Set()
    for (let i = 0; own.size < count; i++) own.add((i * 7 + t * 13) % lists.length)
    const judged = [...own].map((i) => ({
      relevances: lists[i].p,
      relevant: lists[i].hits.map(({ relevant }) => relevant),
    }))
    const { calibration } = calibrateOn(judged)
    const others = lists.filter((_, i) => !own.has(i))
    return measure(
      others.map(({ hits, p }) => ({ hits, p: p.map((value) => calibrated(value, calibration)) })),
    )
  })
  return { ece: mean(trials.map(({ ece }) => ece)), f1: mean(trials.map(({ f1 }) => f1)) }
}

function labelOf({ label, model }) {
  return model ? `${label}, ${basename(model)}` : label
}

function three(value) {
  return value.toFixed(3)
}

function percent(value) {
  return `${Math.round(100 * value)} %`
}
