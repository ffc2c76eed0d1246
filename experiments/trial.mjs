/**
 * What the experiments on training share: one training after another, the ranking that its queries
 * find, and tables of what came out. Finished trainings are kept, so that the same command goes on
 * where it was stopped.
 */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { labelPresets } from '@kith/core'
import { compare, evaluate, readRun } from '@kith/ir'
import { adaptQueries, encodeTexts, searchRun, trainFromFiles } from '@kith/pipelines'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** Every target of docs/method.md section 6. */
const targets = ['one-hot', 'uniform', 'geometric', 'rnn', 'mixed', 'joint', 'query-centric']

const usual = {
  // Queries are cut at 32 tokens as in the paper (docs/method.md section 7).
  encoder: { epochs: 6, learningRate: 3e-5, dropout: 0.1, maxTokens: 32 },
  adapter: { adapter: 'linear', normalise: true, epochs: 40, learningRate: 1e-3, weightDecay: 0 },
}

/** Options of `kith train` that say what is trained, and on what; all others are settings. */
const inputNames = [
  ...['adapter', 'device', 'level', 'maxTokens', 'missing', 'model', 'normalise', 'pooling'],
  ...['queryPrefix', 'revision', 'threads', 'topLayers'],
]

/** Options of `kith train` whose settings have another name. */
const otherNames = { context: 'contextSize', refreshCandidates: 'refreshEvery' }

/** Reads `encoder|adapter [--targets LIST] [--repeats N] [-- options of kith train]`. */
export function readArguments(further = []) {
  const separator = process.argv.indexOf('--', 2)
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2, separator < 0 ? undefined : separator),
    allowPositionals: true,
    options: {
      targets: { type: 'string', default: [...targets, ...further].join(',') },
      repeats: { type: 'string', default: '3' },
      folder: { type: 'string', default: join(root, 'demo-output/experiments') },
    },
  })
  const [what] = positionals
  if (!(what in usual)) {
    console.error(
      'say encoder or adapter [--targets LIST] [--repeats N] [-- options of kith train]',
    )
    process.exit(2)
  }
  return {
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
 * devQrels.
 */
export async function trainedRun(folder, { what, target, seed, passed }, data) {
  const name = [what, target, ...passed].join('_').replaceAll(/[^\w.-]/g, '')
  const done = join(folder, `${name}.trec`)
  if (existsSync(done)) return done
  const model = join(folder, `${name}.running`)
  mkdirSync(folder, { recursive: true })
  const { docs, run } = data
  const queries = what === 'adapter' ? data.embeddings : data.queries
  const chosen = sortOptions({ ...usual[what], ...readOptions(passed) })
  await trainFromFiles({
    docs,
    training: { queries, run, qrels: data.trainQrels },
    validation: { queries, run, qrels: data.devQrels },
    ...chosen.inputs,
    settings: {
      ...{ seed, listSize: 200, inverseTemperature: 20 },
      // Complete labels are the judgements as they are: more than a context of evidence holds.
      target: target === 'complete' ? undefined : { ...chosen.label, target },
      ...chosen.settings,
    },
    out: model,
  })
  const embeddings = join(model, 'queries.npy')
  if (what === 'adapter') await adaptQueries({ adapter: model, queries, out: embeddings })
  else await encodeTexts({ model, input: queries, role: 'query', out: embeddings })
  const found = join(model, 'run.trec')
  await searchRun({ queries: embeddings, docs, top: 100, out: found })
  renameSync(found, done)
  renameSync(join(model, 'metrics.jsonl'), join(folder, `${name}.metrics.jsonl`))
  rmSync(model, { recursive: true })
  rmSync(`${model}.meta.json`)
  return done
}

/** The figures of a ranking. */
export async function figuresOf(file, qrels, measure = 'nDCG@10') {
  return evaluate(qrels, await readRun(file), [measure])
}

/**
 * Prints a line for each row: mean and deviation of a measure over its repetitions, and how its
 * mean per query compares with that of the row named first; queries of a cluster count as one.
 */
export function printTable(title, rows, { measure = 'nDCG@10', clusters } = {}) {
  console.log(`\n${title}: ${measure}`)
  const [first] = rows.values()
  for (const [name, evaluations] of rows) {
    const list = evaluations.map(({ mean }) => mean[measure])
    const mean = list.reduce((a, b) => a + b, 0) / list.length
    const squares = list.reduce((a, b) => a + (b - mean) ** 2, 0)
    const deviation = list.length > 1 ? Math.sqrt(squares / (list.length - 1)) : 0
    const figures = `${name.padEnd(16)} ${mean.toFixed(4)} ± ${deviation.toFixed(4)}`
    if (evaluations === first) console.log(figures)
    else {
      const compared = compare(average(first), average(evaluations), measure, { clusters })
      const { difference, t, randomisation } = compared
      const change = `${difference < 0 ? '−' : '+'}${Math.abs(difference).toFixed(4)}`
      console.log(`${figures}   ${change} (t ${t.toFixed(2)}, p ${randomisation.toFixed(4)})`)
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

/** `--name value …` as properties: numbers where they are numbers. */
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
