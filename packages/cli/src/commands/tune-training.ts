import { join } from 'node:path'
import { jobDefaults, trainingStudy } from '@kith/pipelines/job'
import { tuneTraining } from '@kith/pipelines/train'
import { defineCommand, rare } from '../options/command.ts'
import { DISTIL, readTargetName } from '../options/distil-options.ts'
import { readTraining, trainingOptions } from '../options/train-options.ts'
import { neededFile, optionalWhole, text, UsageError } from '../options/values.ts'
import { tellTunedTraining } from '../terminal/tell-tuned.ts'

/** `kith tune-training`: finds the labels and the training settings that train the best model. */
export const tuneTrainingCommand = defineCommand({
  name: 'tune-training',
  description:
    'Tunes learning rate, temperature, kind of target and its settings. Each trial is a kith train,\n' +
    'measured on the dev queries with their original labels (setting selectBy, here nDCG@10); a trial\n' +
    'below the median of the other trials at the same validation is stopped. The first trial uses the\n' +
    'given options with one-hot targets. The value found comes from the queries that selected the model:\n' +
    'measure the model on other queries. Run the same command again to resume.',
  example:
    'kith tune-training --docs docs.npy --train-queries queries.jsonl --train-run run.trec --qrels train.tsv --dev-queries queries.jsonl --dev-run run.trec --dev-qrels dev.tsv --set inverseTemperature=20 --trials 20 --out tuned',
  options: {
    ...rare(
      trainingOptions,
      ...['docs', 'train-queries', 'train-run', 'qrels', 'dev-queries', 'dev-run', 'dev-qrels'],
      ...['model', 'adapter', 'preset', 'set', 'settings'],
    ),
    out: {
      value: 'FOLDER',
      file: 'output',
      help: 'output folder for the best model, the trials and curves.html',
      required: true,
    },
    trials: { value: 'N', help: 'number of trainings', default: String(jobDefaults.trainings) },
  },
  writes: (values) =>
    ['study.jsonl', 'tuned-training.json', 'curves.html'].map((name) =>
      join(text(values, 'out'), name),
    ),
  async run(values, output, stop) {
    const out = text(values, 'out')
    neededFile(values, 'qrels')
    if (readTargetName(values) === DISTIL) {
      throw new UsageError(
        'kith tune-training compares trials by judgments, so --target distil cannot be used; use kith train --target distil',
      )
    }
    if (values.adapter === 'linear') {
      throw new UsageError(
        '--adapter linear has no settings to tune; use kith train --adapter linear',
      )
    }
    const inputs = {
      ...(await readTraining(values)).inputs,
      out,
      trials: optionalWhole(values, 'trials'),
    }
    if (!inputs.validation)
      throw new UsageError(
        '--dev-queries, --dev-run and --dev-qrels are required: trials are compared on these queries',
      )
    const result = await stop.untilStopped((signal) => tuneTraining(inputs, output.hooks(signal)), {
      onStop: () => output.remark('stopping: finishing the current step'),
      next: `finished trials are kept in ${trainingStudy(out)}; run the same command again to resume`,
    })
    tellTunedTraining(output, result)
  },
})
