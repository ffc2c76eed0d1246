import { join } from 'node:path'
import { formatFigure, statedP } from '@kith/ir/internal'
import { jobDefaults, someMissing } from '@kith/pipelines/job'
import {
  compareTrainings,
  type FitInputs,
  type FitResult,
  fitAdapterFiles,
  type HeldOutFigures,
  type TrainingInputs,
  type TrainResult,
  trainFromFiles,
} from '@kith/pipelines/train'
import { defineCommand, rare } from '../options/command.ts'
import { splitOption } from '../options/dataset-options.ts'
import { DISTIL, readTeacher, targetOption, teacherOptions } from '../options/distil-options.ts'
import {
  readFit,
  readTraining,
  trainingOptions,
  trainingResults,
} from '../options/train-options.ts'
import { optionalText, text, texts } from '../options/values.ts'
import type { Output } from '../terminal/output.ts'

/** `kith train`: trains a query encoder or a query adapter for fixed document embeddings. */
export const trainCommand = defineCommand({
  name: 'train',
  description:
    'Changes query embeddings only; document embeddings stay the same. --adapter linear fits a matrix for\n' +
    'query embeddings, in seconds: to the judgments of --qrels, to Kith’s ranking of the texts in\n' +
    '--corpus, or to both. Without --adapter, fine-tunes the query encoder on judgments, on soft labels\n' +
    '(--labels, or --target with a kind of evidence), or on a ranking (--target distil with --corpus or\n' +
    '--teacher).\n' +
    'A fifth of the training queries is held out to measure search before and after, and to choose the\n' +
    'checkpoint of an encoder (setting holdOut).\n' +
    'You can stop the command at any time: run it again to resume; the output is the same.',
  example:
    'kith train --adapter linear --docs docs.npy --train-queries queries.npy --train-run run.trec --qrels train.tsv --out adapter',
  dataset: {
    purpose: 'train',
    files: ({ adapter, target, labels }) => ({
      ...{ docs: 'documentEmbeddings', 'train-run': 'run', qrels: 'qrels', out: 'trained' },
      'train-queries': adapter === undefined ? 'queries' : 'queryEmbeddings',
      // Other targets need embeddings only.
      ...(target === DISTIL || (adapter === 'linear' && !target && !labels)
        ? { corpus: 'corpus', ...(adapter === undefined ? {} : { 'query-text': 'queries' }) }
        : {}),
    }),
    opensModel: ({ adapter }) => adapter === undefined,
  },
  options: {
    ...rare(
      trainingOptions,
      ...['docs', 'train-queries', 'train-run', 'qrels', 'model', 'adapter', 'preset', 'set'],
    ),
    ...splitOption,
    target: {
      ...targetOption.target,
      default:
        'judgments; --adapter linear also learns Kith’s ranking of --corpus if queries have no judgments, or about one each',
    },
    ...rare(teacherOptions, 'corpus', 'query-text'),
    labels: {
      value: 'FILE',
      file: 'input',
      help: 'labels of the training queries, by kith labels (JSONL)',
    },
    out: {
      value: 'FOLDER',
      file: 'output',
      help: 'output folder for the trained model',
      required: true,
    },
  },
  writes: (values) => trainingResults.map((name) => join(text(values, 'out'), name)),
  async read(values) {
    const out = text(values, 'out')
    if (values.adapter === 'linear') return { out, fit: { ...(await readFit(values)), out } }
    const { inputs, distil, recipe } = await readTraining(values)
    return { out, train: { ...inputs, teacher: readTeacher(values, distil), out }, recipe }
  },
  async run({ out, fit, train, recipe }, output, stop) {
    const stopped = {
      onStop: () => output.remark('stopping: finishing and saving the current step'),
      next: `run the same command again to resume from the checkpoint in ${out}`,
    }
    if (fit) {
      const run = (signal: AbortSignal) => fitAdapterFiles(fit, output.hooks(signal))
      return tellFitted(output, await stop.untilStopped(run, stopped), fit)
    }
    output.remark(`training by ${recipe}`)
    const run = (signal: AbortSignal) => trainFromFiles(train, output.hooks(signal))
    tellTrained(output, await stop.untilStopped(run, stopped), train)
  },
})

/** `kith train compare`: plots the curves of several trainings together. */
export const trainCompareCommand = defineCommand({
  name: 'train compare',
  description:
    'Plots losses and a measure against the training steps. Writes an SVG, or an HTML page if --out\n' +
    'ends in .html.',
  example: 'kith train compare trained-one-hot trained-mixed --out curves.svg',
  rest: { value: 'FOLDER…', file: 'input', help: 'output folders of kith train' },
  options: {
    out: {
      value: 'FILE',
      file: 'output',
      help: 'output chart: .svg or .html',
      required: true,
    },
    measure: {
      value: 'NAME',
      help: 'measure to plot: MRR@10, nDCG@10, MAP@10 or Recall@10',
      default: jobDefaults.measure,
    },
  },
  async run(values, output) {
    const result = await compareTrainings({
      folders: texts(values, 'rest'),
      out: text(values, 'out'),
      measure: optionalText(values, 'measure'),
    })
    output.result(result, `${result.out}: ${result.trainings} trainings`)
  },
})

/**
 * Prints how a training ended, which weights are the result, whether they help, and which commands
 * to run next.
 */
function tellTrained(output: Output, result: TrainResult, inputs: TrainingInputs): void {
  const { out, steps, ended, best, cut, curves, heldOut, keepsOld } = result
  const how = ended === 'early' ? 'ended early' : 'all steps done'
  const trained = best ? `the weights of step ${best.step}, the best` : 'the last weights'
  const chosen = keepsOld ? 'the weights from before training' : trained
  const lines = [`${out}: ${how} (${steps} steps); ${chosen}`]
  if (curves) lines.push(`${curves}: validation loss and nDCG@10`)
  if (heldOut) lines.push(...heldOutLines(heldOut))
  if (!keepsOld) lines.push('next:', ...nextCommands(result, inputs).map((line) => `  ${line}`))
  if (heldOut) lines.push(verdict(heldOut))
  else if (best?.step === 0) {
    lines.push('keep the old encoder: no later weights are better on the dev queries')
  }
  const missing = someMissing(result.missing)
  output.result(
    { out, steps, ended, best, cut, missing, curves, heldOut, keepsOld },
    lines.join('\n'),
  )
}

/** Returns the advice that follows from the measures of held-out queries. */
function verdict({ measures, by }: HeldOutFigures): string {
  const { difference, randomization } = Object.values(measures)[0]!
  if (!(difference > 0)) return 'keep the old encoder: training gains nothing on held-out queries'
  if (by === 'teacher') return agreementOnly
  return randomization < 0.05
    ? 'use the trained encoder: it gains on held-out queries'
    : 'the gain on held-out queries may be chance: measure it on more queries'
}

/**
 * Returns the commands that search with the result and evaluate it on queries outside the training
 * set.
 */
function nextCommands(
  { out, heldOut, metric }: TrainResult,
  { adapter, docs, training, queryPrefix }: TrainingInputs,
): string[] {
  const { queries, run } = training
  const prefix = queryPrefix === undefined ? '' : ` --query-prefix ${JSON.stringify(queryPrefix)}`
  const by = metric === 'cosine' ? ' --metric cosine' : ''
  return [
    adapter === undefined
      ? `kith encode --model ${out} --input ${queries} --role query${prefix} --out trained-queries.npy`
      : `kith adapt --adapter ${out} --queries ${queries} --out trained-queries.npy`,
    `kith search --queries trained-queries.npy --docs ${docs}${by} --out trained.trec`,
    ...(heldOut?.qrels
      ? [`kith eval --qrels ${heldOut.qrels} --run ${run} --run trained.trec`]
      : []),
  ]
}

/** A readable name of the data that each recipe learns from. */
const recipes: Record<FitResult['recipe'], string> = {
  ranking: 'Kith’s ranking, without labels',
  labels: 'labels',
  'ranking+labels': 'labels and Kith’s ranking',
  judgments: 'judgments',
}

/**
 * Prints the training data of an adapter, whether the adapter helps, and which commands to run
 * next.
 */
function tellFitted(output: Output, result: FitResult, inputs: FitInputs): void {
  const { out, recipe, queries, shrinkage, inverseTemperature, keepsOld, heldOut, metric } = result
  const settings = `T ${inverseTemperature}, Λ ${Number(shrinkage.toPrecision(4))}`
  const what = keepsOld ? 'the identity: no change of the embeddings' : 'a linear adapter'
  const lines = [`${out}: ${what} (${queries} queries, ${recipes[recipe]}; ${settings})`]
  if (heldOut) lines.push(...heldOutLines(heldOut))
  const { docs, training } = inputs
  const by = metric === 'cosine' ? ' --metric cosine' : ''
  const next = [
    `kith adapt --adapter ${out} --queries ${training.queries} --out adapted.npy`,
    `kith search --queries adapted.npy --docs ${docs}${by} --out adapted.trec`,
  ]
  if (!keepsOld) lines.push('next:', ...next.map((line) => `  ${line}`))
  lines.push(adapterVerdict(result))
  const { missing, ...rest } = result
  output.result({ ...rest, missing: someMissing(missing) }, lines.join('\n'))
}

/** Returns the advice for the adapter, in one line. */
function adapterVerdict({ heldOut, keepsOld }: FitResult): string {
  if (!heldOut) return 'not tested: no queries were held out, measure it on other queries'
  if (keepsOld) return 'keep the old embeddings: the adapter gains nothing on held-out queries'
  const first = heldOut.measures[heldOut.measure]
  if (heldOut.by === 'teacher') return agreementOnly
  return first!.randomization < 0.05
    ? 'use the adapter: it gains on held-out queries'
    : 'the gain on held-out queries may be chance: measure it on more queries'
}

/** The advice if held-out queries gain only in agreement with the teacher's ranking. */
const agreementOnly =
  'without judgments only agreement with the teacher is known: measure it on judged queries'

/** Formats the measures of held-out queries before and after training, one line per measure. */
function heldOutLines({ queries, by, measures }: Omit<HeldOutFigures, 'qrels'>): string[] {
  const what = by === 'teacher' ? ' (agreement with the teacher)' : ''
  const title = `on ${queries} held-out queries, searching all documents${what}:`
  const figures = Object.entries(measures).map(
    ([measure, { before, after, difference, randomization }]) => {
      const change = `${difference < 0 ? '−' : '+'}${formatFigure(Math.abs(difference))}`
      const figures = `${formatFigure(before)} before, ${formatFigure(after)} after`
      return `  ${measure} ${figures} (${change}, ${statedP(randomization)})`
    },
  )
  return [title, ...figures]
}
