import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeAtomic } from '@kith/ir'
import {
  fingerprint,
  trainingFigure,
  trainingSpace,
  trainingStart,
  trialSettings,
  writeSidecar,
} from '@kith/pipelines/internal'
import { type RunningTrial, type SearchedTrial, search } from '@kith/tune'
import { remarkCutQueries } from '../old/cut-queries.ts'
import { defineCommand } from '../options/command.ts'
import {
  modelSettings,
  openTraining,
  type TrainingSetup,
  trainingOptions,
} from '../options/training-setup.ts'
import { UsageError } from '../options/usage-error.ts'
import { optionalText, optionalWhole, text } from '../options/values.ts'
import type { Output } from '../terminal/output.ts'

/** `kith tune --train`: which labels and which learning settings train the best model. */
export const tuneTrainCommand = defineCommand({
  name: 'tune --train',
  summary: 'search the settings of training: each trial a training, bad ones ended early',
  description:
    'Searches learning rate, temperature, kind of target and its settings. Each trial is a kith train\n' +
    'judged on the dev queries with their original labels (--select-by, here nDCG@10); one that falls behind\n' +
    'the median of the others at the same validation is ended. The first trial is the options as they\n' +
    'are, with one-hot targets. The value found is that of the queries it was chosen by: measure the\n' +
    'model on others. Stopped, the same command goes on with the trial that was under way.',
  example:
    'kith tune --train --docs docs.npy --train-queries queries.jsonl --train-run run.trec --qrels train.tsv --dev-queries queries.jsonl --dev-run run.trec --dev-qrels dev.tsv --inverse-temperature 20 --trials 20 --out tuned',
  options: {
    ...trainingOptions,
    out: {
      value: 'FOLDER',
      file: 'output',
      help: 'the best model, the trials, curves.html',
      required: true,
    },
    trials: { value: 'N', help: 'trainings', default: '20' },
  },
  writes: (values) =>
    ['study.jsonl', 'tuned-training.json', 'curves.html'].map((name) =>
      join(text(values, 'out'), name),
    ),
  async run(values, output, stop) {
    const out = text(values, 'out')
    const trials = optionalWhole(values, 'trials') ?? 20
    const setup = await openTraining(values, output)
    try {
      if (!setup.validation) throw new UsageError('trials are judged on --dev-queries: give them')
      const selectBy = optionalText(values, 'select-by') ?? 'nDCG@10'
      const base = { ...setup.settings, selectBy }
      const { modelIdentity } = await import('@kith/train')
      const model = await setup.openModel()
      const cut = remarkCutQueries(model, setup, output)
      const level = optionalWhole(values, 'level')
      const decisive = { ...base, level, model: modelIdentity(model) }
      let leader: SearchedTrial | undefined
      const study = join(out, 'study.jsonl')
      const key = await fingerprint(decisive, setup.files)
      const done = await stop.heed(
        (signal) =>
          search((trial) => trainOnce(setup, base, trial, out, output, signal), {
            space: trainingSpace,
            start: trainingStart,
            trials,
            seed: base.seed,
            study,
            fingerprint: key,
            async onTrial(trial, ended) {
              output.remark(`${lineOf(trial, selectBy, ended)}, ${trial.trial + 1} of ${trials}`)
              const behind = leader && leader.value >= trial.value ? trial : leader
              if (behind) await forget(folderOf(out, behind.trial))
              if (behind !== trial) leader = trial
            },
          }),
        {
          onStop: () => output.remark('stopping: finishing the step under way'),
          next: `finished trials are in ${study}: the same command goes on with the next one`,
        },
      )
      const [first, winner] = [done[0]!, bestOf(done)]
      const settings = trialSettings(winner.parameters, base)
      await writeAtomic(join(out, 'tuned-training.json'), (write) =>
        write(
          `${JSON.stringify({ settings, selectBy, winner, first, trials: done }, undefined, 2)}\n`,
        ),
      )
      const made = { ...base, ...modelSettings(values), maxTokens: model.maxTokens }
      await writeSidecar(out, 'tune --train', made, setup.files, { cut })
      await drawCurves(out, done, selectBy)
      output.result({ out, settings, winner, first, cut }, describe(out, selectBy, winner, first))
    } finally {
      setup.close()
    }
  },
})

async function trainOnce(
  setup: TrainingSetup,
  base: TrainingSetup['settings'],
  { trial, parameters, report }: RunningTrial,
  out: string,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  const { train } = await import('@kith/train')
  const behind = new AbortController()
  const settings = trialSettings(parameters, base)
  const folder = folderOf(out, trial)
  // What a stopped program has left of it would not report its first values again.
  await rm(folder, { recursive: true, force: true })
  const progress = output.progress(`trial ${trial + 1}`, settings.steps!)
  const { ended } = await train({
    model: await setup.openModel(),
    documents: setup.docs,
    queries: setup.queries,
    validation: setup.validation,
    settings,
    ...setup.device,
    out: folder,
    signal: AbortSignal.any([behind.signal, signal]),
    onStep: (record) => progress.update(record.step, `loss ${record.loss.toFixed(4)}`),
    onValidation({ loss, measures }) {
      const value = settings.selectBy === 'loss' ? -loss : measures[settings.selectBy!]!
      if (!report(value)) behind.abort()
    },
  }).finally(() => progress.end())
  // A trial that was stopped on its way has no value; one that fell behind has.
  if (ended === 'stopped' && !behind.signal.aborted) signal.throwIfAborted()
}

/** Of equal trials the first: it is nearer to what the user had. */
function bestOf(trials: readonly SearchedTrial[]): SearchedTrial {
  return trials.reduce((best, trial) => (trial.value > best.value ? trial : best))
}

function folderOf(out: string, trial: number): string {
  return join(out, `trial-${String(trial + 1).padStart(3, '0')}`)
}

/** Of a trial that is not the best only its metrics stay: checkpoints are large. */
async function forget(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name !== 'metrics.jsonl') await rm(join(folder, name), { recursive: true })
  }
}

/** The curves of the trials that went to the end, on one page. */
async function drawCurves(
  out: string,
  trials: readonly SearchedTrial[],
  selectBy: string,
): Promise<void> {
  const { renderReport } = await import('@kith/report')
  const longest = Math.max(...trials.map(({ course }) => course.length))
  const whole = trials.filter(({ course }) => course.length === longest)
  const folders = whole.map(({ trial }) => folderOf(out, trial))
  const figure = await trainingFigure(folders, selectBy === 'loss' ? 'nDCG@10' : selectBy)
  const page = renderReport({ title: 'Trainings that went to the end', figures: [figure] })
  await writeAtomic(join(out, 'curves.html'), (write) => write(page))
}

function lineOf(
  { trial, parameters, value }: SearchedTrial,
  selectBy: string,
  ended: string,
): string {
  const shown = Object.entries(parameters).map(([name, one]) => `${name} ${one}`)
  const how = ended === 'pruned' ? ', ended early' : ''
  return `trial ${trial + 1}: ${selectBy} ${Math.abs(value).toFixed(4)}${how} (${shown.join(', ')})`
}

function describe(
  out: string,
  selectBy: string,
  { trial, value, parameters }: SearchedTrial,
  first: SearchedTrial,
): string {
  const shown = Object.entries(parameters).map(([name, one]) => `${name} ${one}`)
  return [
    `${folderOf(out, trial)}: the best model, dev ${selectBy} ${Math.abs(value).toFixed(4)} (${shown.join(', ')})`,
    `the options as they are, with one-hot targets: ${Math.abs(first.value).toFixed(4)}`,
    'Both on the queries that it was chosen by: measure it on others.',
  ].join('\n')
}
