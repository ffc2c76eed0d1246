/**
 * Shared by the experiments on training: runs the trainings, searches with the trained queries, and
 * prints tables. Finished trainings are kept, so that the same command resumes after a stop.
 */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { labelPresets } from '@kith/core'
import { compare, evaluate, readRun } from '@kith/ir'
import { holm } from '@kith/ir/internal'
import { encodeTexts } from '@kith/pipelines/encode'
import { rerankRun } from '@kith/pipelines/rerank'
import { searchRun } from '@kith/pipelines/search'
import { trainFromFiles } from '@kith/pipelines/train'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** Every target of docs/method.md section 6. */
const targets = ['one-hot', 'uniform', 'geometric', 'rnn', 'mixed', 'joint', 'query-centric']

const usual = {
  // Queries are cut at 32 tokens as in the paper (docs/method.md section 7).
  encoder: { epochs: 6, learningRate: 3e-5, dropout: 0.1, maxTokens: 32 },
}

/** The defaults of `kith train` when the tables of SciFact and WordNet were made. */
export const earlier = { outside: 'inject', settings: { selectBy: 'loss' } }

/** Options of `kith train` that say what is trained, and on what; all others are settings. */
const inputNames = [
  ...['adapter', 'device', 'level', 'maxTokens', 'missing', 'model', 'normalize', 'outside'],
  ...['pooling', 'queryPrefix', 'revision', 'threads', 'topLayers'],
]

/** Options of `kith train` whose settings have another name. */
const otherNames = { context: 'contextSize', refreshCandidates: 'refreshEvery' }

/** Reads `encoder [--targets LIST] [--repeats N] [-- options of kith train]`. */
export function readArguments(further = [], options = {}) {
  const separator = process.argv.indexOf('--', 2)
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2, separator < 0 ? undefined : separator),
    allowPositionals: true,
    options: {
      targets: { type: 'string', default: [...targets, ...further].join(',') },
      repeats: { type: 'string', default: '3' },
      folder: { type: 'string', default: join(root, 'demo-output/experiments') },
      ...options,
    },
  })
  const [what] = positionals
  if (!(what in usual)) {
    console.error('usage: encoder [--targets LIST] [--repeats N] [-- options of kith train]')
    process.exit(2)
  }
  return {
    ...values,
    what,
    targets: values.targets.split(','),
    repeats: Number(values.repeats),
    folder: values.folder,
    passed: separator < 0 ? [] : process.argv.slice(separator + 1),
  }
}

/**
 * Trains once and ranks documents for all queries with what was learned; returns the run's file.
 * `data` has the files: docs, queries (texts), embeddings (of the queries), run, trainQrels,
 * devQrels; labels if they were made before, and corpus if the run is to be reranked as well,
 * into a file with .reranked in its name; test if other queries are ranked. `teacher`, `outside` and `settings` are
 * the options of `trainFromFiles`.
 */
export async function trainedRun(folder, { what, target, seed, passed, ...trial }, data) {
  const name = [what, trial.name ?? target, ...passed].join('_').replaceAll(/[^\w.-]/g, '')
  const done = join(folder, `${name}.trec`)
  if (existsSync(done)) return done
  const model = join(folder, `${name}.running`)
  mkdirSync(folder, { recursive: true })
  const { docs, run } = data
  const { queries } = data
  const chosen = sortOptions({ ...usual[what], ...readOptions(passed) })
  await trainFromFiles({
    docs,
    training: { queries, run: data.trainRun ?? run, qrels: data.trainQrels, labels: data.labels },
    validation: { queries, run, qrels: data.devQrels },
    outside: trial.outside,
    teacher: trial.teacher,
    ...chosen.inputs,
    settings: {
      ...{ seed, listSize: 200, inverseTemperature: 20 },
      // Complete labels are the judgments as they are: more than a context of evidence holds.
      target:
        target === undefined || target === 'complete' ? undefined : { ...chosen.label, target },
      ...trial.settings,
      ...chosen.settings,
    },
    out: model,
  })
  const embeddings = join(model, 'queries.npy')
  const asked = data.test ?? data
  await encodeTexts({ model, input: asked.queries, role: 'query', out: embeddings })
  const found = join(model, 'run.trec')
  await searchRun({ queries: embeddings, docs, top: data.corpus ? 200 : 100, out: found })
  if (data.corpus) {
    const out = join(model, 'reranked.trec')
    const texts = { corpus: data.corpus, queryText: asked.queries }
    await rerankRun({ run: found, queries: embeddings, docs, ...texts, out })
    renameSync(out, done.replace(/trec$/, 'reranked.trec'))
  }
  renameSync(found, done)
  renameSync(join(model, 'metrics.jsonl'), join(folder, `${name}.metrics.jsonl`))
  rmSync(model, { recursive: true })
  rmSync(`${model}.meta.json`)
  return done
}

/** The figures of a ranking. */
export async function figuresOf(file, qrels, measures = ['nDCG@10']) {
  return evaluate(qrels, await readRun(file), measures)
}

/**
 * Prints a study as two tables: each recipe's figures, averaged over draws, and how they compare
 * with the first recipe, then with the last row, plain search. p values are
 * corrected for the number of recipes.
 */
export function printStudy(title, table) {
  const names = [...table.keys()]
  const rows = [...table.values()]
  const compared = [
    ['full', 'nDCG@10'],
    ['full', 'Recall@100'],
    ['after', 'nDCG@10'],
  ]
  const heads = ['nDCG@10', 'Recall@100', 'nDCG@10 after reranking']
  const sparse = rows.map((row) => spread(row.sparse.map(({ mean }) => mean['nDCG@10'])).mean)
  const figures = compared.map(([kind, measure]) => {
    return rows.map((row) => {
      const { mean, deviation } = spread(row[kind].map(({ mean }) => mean[measure]))
      return `${mean.toFixed(4)} ± ${deviation.toFixed(4)}`
    })
  })
  const differences = (base) =>
    compared.map(([kind, measure]) => {
      const averages = rows.map((row) => average(row[kind]))
      const others = rows.map((_, i) => i).filter((i) => i !== base)
      const found = others.map((i) => compare(averages[base], averages[i], measure))
      const p = holm(found.map(({ randomization }) => randomization))
      const shown = rows.map(() => '')
      others.forEach((i, place) => {
        shown[i] = `${signed(found[place].difference)}, p ${p[place].toFixed(3)}`
      })
      return shown
    })
  const against = [differences(0), differences(rows.length - 1)]
  console.log(`\n${title}\n\n| recipe | sparse dev | ${heads.join(' | ')} |\n|---|---|---|---|---|`)
  names.forEach((name, i) => {
    const cells = figures.map((column, c) => {
      return against[0][c][i] ? `${column[i]} (${against[0][c][i]})` : column[i]
    })
    console.log(`| ${[name, sparse[i].toFixed(4), ...cells].join(' | ')} |`)
  })
  console.log(
    `\nCompared with ${names.at(-1)}\n\n| recipe | ${heads.join(' | ')} |\n|---|---|---|---|`,
  )
  names.slice(0, -1).forEach((name, i) => {
    console.log(`| ${[name, ...against[1].map((column) => column[i])].join(' | ')} |`)
  })
}

function spread(values) {
  const mean = values.reduce((a, b) => a + b, 0) / values.length
  const squares = values.reduce((a, b) => a + (b - mean) ** 2, 0)
  return { mean, deviation: values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0 }
}

function signed(value) {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(4)}`
}

/**
 * Prints a line for each row: mean and deviation of a measure over its repetitions, and how its
 * mean per query is compared with the row named first; queries of a cluster count as one.
 */
export function printTable(title, rows, { measure = 'nDCG@10', clusters } = {}) {
  console.log(`\n${title}: ${measure}`)
  const [first] = rows.values()
  for (const [name, evaluations] of rows) {
    const { mean, deviation } = spread(evaluations.map(({ mean }) => mean[measure]))
    const figures = `${name.padEnd(16)} ${mean.toFixed(4)} ± ${deviation.toFixed(4)}`
    if (evaluations === first) console.log(figures)
    else {
      const compared = compare(average(first), average(evaluations), measure, { clusters })
      const { difference, t, randomization } = compared
      console.log(
        `${figures}   ${signed(difference)} (t ${t.toFixed(2)}, p ${randomization.toFixed(4)})`,
      )
    }
  }
}

/** The mean of repetitions, query by query. */
function average(evaluations) {
  const [{ queries, measures }] = evaluations
  const perQuery = Object.fromEntries(
    measures.map((measure) => [
      measure,
      Float64Array.from(queries, (_, i) => {
        const sum = evaluations.reduce((total, one) => total + one.perQuery[measure][i], 0)
        return sum / evaluations.length
      }),
    ]),
  )
  return { queries, measures, perQuery }
}

/** `--name value …` as properties: numbers if they are numbers. */
function readOptions(options) {
  const names = options.filter((_, i) => i % 2 === 0)
  return Object.fromEntries(
    names.map((option, i) => {
      const words = option.replace(/^--/, '')
      const name = words.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase())
      const value = options[2 * i + 1]
      return [otherNames[name] ?? name, Number.isNaN(Number(value)) ? value : Number(value)]
    }),
  )
}

/** Options by where a training takes them: inputs, settings of labels, settings of the training. */
function sortOptions(options) {
  const sorted = { inputs: {}, label: {}, settings: {} }
  for (const [name, value] of Object.entries(options)) {
    if (inputNames.includes(name)) sorted.inputs[name] = value
    else if (name in labelPresets.balanced) sorted.label[name] = value
    else sorted.settings[name] = value
  }
  return sorted
}
