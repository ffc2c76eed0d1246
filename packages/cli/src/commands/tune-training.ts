import { join } from 'node:path'
import { jobDefaults, someMissing, trainingStudy } from '@kith/pipelines/job'
import { type TuneTrainingResult, tuneTraining } from '@kith/pipelines/train'
import { defineCommand, rare } from '../options/command.ts'
import { DISTIL, readTargetName } from '../options/distil-options.ts'
import { readTraining, trainingOptions } from '../options/training-setup.ts'
import { UsageError } from '../options/usage-error.ts'
import { neededFile, optionalWhole, text } from '../options/values.ts'
import type { Output } from '../terminal/output.ts'

/** `kith tune-training`: which labels and which learning settings train the best model. */
export const tuneTrainingCommand = defineCommand({
  name: 'tune-training',
  description:
    'Searches learning rate, temperature, kind of target and its settings. Each trial is a kith train\n' +
    'judged on the dev queries with their original labels (setting selectBy, here nDCG@10); one that falls behind\n' +
    'the median of the others at the same validation is ended. The first trial is the options as they\n' +
    'are, with one-hot targets. The value found is that of the queries it was chosen by: measure the\n' +
    'model on others. Stopped, the same command goes on with the trial that was under way.',
  example:
    'kith tune-training --docs docs.npy --train-queries queries.jsonl --train-run run.trec --qrels train.tsv --dev-queries queries.jsonl --dev-run run.trec --dev-qrels dev.tsv --set inverseTemperature=20 --trials 20 --out tuned',
  options: {
    ...rare(
      trainingOptions,
      ...['docs', 'train-queries', 'train-run', 'qrels', 'dev-queries', 'dev-run', 'dev-qrels'],
      ...['model', 'adapter', 'epochs', 'learning-rate', 'preset', 'set', 'settings'],
    ),
    out: {
      value: 'FOLDER',
      file: 'output',
      help: 'the best model, the trials, curves.html',
      required: true,
    },
    trials: { value: 'N', help: 'trainings', default: String(jobDefaults.trainings) },
  },
  writes: (values) =>
    ['study.jsonl', 'tuned-training.json', 'curves.html'].map((name) =>
      join(text(values, 'out'), name),
    ),
  async run(values, output, stop) {
    const out = text(values, 'out')
    neededFile(values, 'qrels')
    if (readTargetName(values) === DISTIL) {
      throw new UsageError('trials compare targets by judgments: --target distil is for kith train')
    }
    const inputs = {
      ...(await readTraining(values)).inputs,
      out,
      trials: optionalWhole(values, 'trials'),
    }
    if (!inputs.validation) throw new UsageError('trials are judged on --dev-queries: give them')
    const result = await stop.heed((signal) => tuneTraining(inputs, output.hooks(signal)), {
      onStop: () => output.remark('stopping: finishing the step under way'),
      next: `finished trials are in ${trainingStudy(out)}: the same command goes on with the next one`,
    })
    tellTunedTraining(output, result)
  },
})

/** Prints which trial trained the best model, and the value of the trial with the options as they are. */
function tellTunedTraining(output: Output, result: TuneTrainingResult): void {
  const { out, best, settings, selectBy, winner, first, cut } = result
  const { value, parameters } = winner
  const shown = Object.entries(parameters).map(([name, one]) => `${name} ${one}`)
  const missing = someMissing(result.missing)
  output.result(
    { out, settings, winner, first, cut, missing },
    [
      `${best}: the best model, dev ${selectBy} ${Math.abs(value).toFixed(4)} (${shown.join(', ')})`,
      `the options as they are, with one-hot targets: ${Math.abs(first.value).toFixed(4)}`,
      'Both on the queries that it was chosen by: measure it on others.',
    ].join('\n'),
  )
}
