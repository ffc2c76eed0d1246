import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeAtomic } from '@kith/base'
import { KithError } from '@kith/core'
import { labelTable, throwIfAborted } from '@kith/core/internal'
import type { PartialTrainSettings } from '@kith/train'
import { criterion, trainDefaults, trainTable } from '@kith/train/internal'
import type { Parameters, RunningTrial, SearchedTrial, Space } from '@kith/tune'
import { search } from '@kith/tune/internal'
import { fingerprint, writeSidecar } from '../files/sidecar.ts'
import type { Hooks } from '../job/hooks.ts'
import { jobDefaults, trainingStudy } from '../job/job-defaults.ts'
import { someMissing } from '../join/missing.ts'
import { trainingFigure } from './compare-trainings.ts'
import { openTraining, type TrainingSetup } from './open-training.ts'
import { loadTrain, modelSettings, type TrainingInputs } from './training-inputs.ts'
import { learnedBy, remarkCutQueries, type TrainingReport } from './training-report.ts'

/** The inputs of a search over training settings. */
export interface TuneTrainingInputs extends TrainingInputs {
  /** The folder for the best model, the trials and their curves. */
  out: string
  /** Number of trainings; default 20. */
  trials?: number | undefined
}

/** The result of a search over training settings. */
export interface TuneTrainingResult extends TrainingReport {
  out: string
  /** The folder of the best model. */
  best: string
  /** The settings of the best trial, and the loss or measure for comparing trials. */
  settings: PartialTrainSettings
  selectBy: string
  winner: SearchedTrial
  /** The trial with the given settings and one-hot targets. */
  first: SearchedTrial
  trials: readonly SearchedTrial[]
}

/**
 * Searches the settings of a training: each trial is a training, evaluated on the validation
 * queries with their original labels, and a trial that falls behind ends early. If it is
 * interrupted, the same call keeps the finished trials and starts the interrupted trial again.
 *
 * ```ts
 * await tuneTraining({
 *   docs: 'docs.npy', adapter: 'mlp', out: 'tuned', trials: 20,
 *   training: { queries: 'queries.npy', run: 'run.trec', qrels: 'train.tsv' },
 *   validation: { queries: 'queries.npy', run: 'run.trec', qrels: 'dev.tsv' },
 * })
 * ```
 */
export async function tuneTraining(
  inputs: TuneTrainingInputs,
  hooks: Hooks = {},
): Promise<TuneTrainingResult> {
  const { out, trials = jobDefaults.trainings, training, settings: given } = inputs
  if (!inputs.validation) {
    throw new KithError('BAD_SETTING', 'trials are compared on validation queries; pass validation')
  }
  if (training.labels !== undefined) {
    throw new KithError('BAD_SETTING', 'trials make their own targets; leave out labels')
  }
  if (inputs.teacher) {
    throw new KithError('BAD_SETTING', 'trials compare targets by judgments; leave out teacher')
  }
  if (given?.selectBy === 'loss') {
    const problem =
      'setting selectBy must be a measure such as nDCG@10, got loss; trials with different targets have losses on different scales'
    throw new KithError('BAD_SETTING', problem)
  }
  const setup = await openTraining(inputs, hooks)
  try {
    const { files, missing } = setup
    const selectBy = given?.selectBy ?? jobDefaults.measure
    const base = { ...setup.settings, selectBy }
    await loadTrain()
    const { modelIdentity } = await import('@kith/train/internal')
    const model = await setup.openModel()
    const cut = remarkCutQueries(model, setup.queries, setup.validation ?? [], hooks)
    const decisive = { ...base, level: inputs.level, model: modelIdentity(model) }
    let leader: SearchedTrial | undefined
    const done = await search((trial) => trainTrial(setup, base, trial, out, hooks), {
      space: trainingSpace,
      start: trainingStart,
      trials,
      seed: base.seed,
      study: trainingStudy(out),
      fingerprint: await fingerprint(decisive, files),
      async onTrial(trial, ended) {
        hooks.onRemark?.(`${lineOf(trial, selectBy, ended)}, ${trial.trial + 1} of ${trials}`)
        const behind = leader && leader.value >= trial.value ? trial : leader
        if (behind) await keepMetrics(trialFolder(out, behind.trial))
        if (behind !== trial) leader = trial
      },
    })
    const [first, winner] = [done[0]!, bestOf(done)]
    const settings = trialSettings(winner.parameters, base)
    const found = { settings, selectBy, winner, first, trials: done }
    await writeAtomic(join(out, 'tuned-training.json'), (write) =>
      write(`${JSON.stringify(found, undefined, 2)}\n`),
    )
    const made = { ...base, ...modelSettings(inputs), maxTokens: model.maxTokens }
    const best = trialFolder(out, winner.trial)
    const learnedFrom = await learnedBy(setup, inputs, best)
    const more = { cut, missing: someMissing(missing), learnedFrom }
    for (const folder of [out, best]) {
      await writeSidecar(folder, 'tune-training', made, files, more)
    }
    await drawCurves(out, done, selectBy)
    return { out, best, ...found, cut, missing }
  } finally {
    await setup.close()
  }
}

/** Returns the best trial; of equal trials the first, which is closer to the user's settings. */
function bestOf(trials: readonly SearchedTrial[]): SearchedTrial {
  return trials.reduce((best, trial) => (trial.value > best.value ? trial : best))
}

/** Plots the curves of the completed trials on one page. */
async function drawCurves(
  out: string,
  trials: readonly SearchedTrial[],
  selectBy: string,
): Promise<void> {
  const { renderReport } = await import('@kith/report')
  const longest = Math.max(...trials.map(({ course }) => course.length))
  const whole = trials.filter(({ course }) => course.length === longest)
  const folders = whole.map(({ trial }) => trialFolder(out, trial))
  const figure = await trainingFigure(folders, selectBy)
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

/** Returns the folder of a trial's training. */
function trialFolder(out: string, trial: number): string {
  return join(out, `trial-${String(trial + 1).padStart(3, '0')}`)
}

/** Removes everything except the metrics of a trial that is not the best: checkpoints are large. */
async function keepMetrics(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name !== 'metrics.jsonl') await rm(join(folder, name), { recursive: true })
  }
}

/**
 * Runs one training of the search; ends it early if its validations are worse than other trials'.
 */
async function trainTrial(
  setup: TrainingSetup,
  base: PartialTrainSettings & { steps: number },
  { trial, parameters, report }: RunningTrial,
  out: string,
  { onProgress, signal }: Hooks,
): Promise<void> {
  throwIfAborted(signal)
  const { train } = await loadTrain()
  const behind = new AbortController()
  const settings = trialSettings(parameters, base)
  const value = criterion(settings.selectBy!)
  const folder = trialFolder(out, trial)
  // A trial resumed from the files of an interrupted program would not report its first values
  // again.
  await rm(folder, { recursive: true, force: true })
  const [stage, total] = [`trial ${trial + 1}`, base.steps]
  onProgress?.({ stage, done: 0, total })
  const { ended } = await train({
    model: await setup.openModel(),
    documents: setup.docs,
    queries: setup.queries,
    validation: setup.validation,
    relabel: setup.relabel,
    settings,
    ...setup.device,
    out: folder,
    signal: signal ? AbortSignal.any([behind.signal, signal]) : behind.signal,
    onLowerLayers: (done, layers) =>
      onProgress?.({ stage: `${stage}, lower layers`, done, total: layers }),
    onStep: ({ step, loss }) =>
      onProgress?.({ stage, done: step, total, note: `loss ${loss.toFixed(4)}` }),
    onValidation(validation) {
      if (!report(value(validation))) behind.abort()
    },
  })
  // A trial that the signal aborted has no value; a trial that fell behind has one.
  if (ended === 'stopped' && !behind.signal.aborted) throwIfAborted(signal)
}

/**
 * The search space: learning rate, inverse temperature, and the kind and the settings of targets.
 * Evidence-based targets have their own settings, so they are a branch of the space.
 */
const trainingSpace: Space = {
  learningRate: { kind: 'float', ...trainTable.learningRate.tune! },
  inverseTemperature: { kind: 'float', ...trainTable.inverseTemperature.tune! },
  evidence: { kind: 'choice', values: [false, true] },
  target: {
    kind: 'choice',
    values: ['mixed', 'geometric', 'rnn'],
    when: { dimension: 'evidence', is: true },
  },
  labelDepth: {
    kind: 'integer',
    ...labelTable.labelDepth.tune!,
    when: { dimension: 'evidence', is: true },
  },
  boost: { kind: 'float', ...labelTable.boost.tune!, when: { dimension: 'evidence', is: true } },
  normalize: {
    kind: 'choice',
    values: ['maxmin', 'std'],
    when: { dimension: 'evidence', is: true },
  },
}

/** The start of the search: the given options, trained on the judgments alone. */
const trainingStart: Parameters = { learningRate: 1, inverseTemperature: 1, evidence: false }

/**
 * Returns the settings of a trial. Learning rate and inverse temperature are factors of the given
 * values.
 */
function trialSettings(
  { learningRate, inverseTemperature, evidence, target, labelDepth, boost, normalize }: Parameters,
  base: PartialTrainSettings,
): PartialTrainSettings {
  return {
    ...base,
    learningRate: (base.learningRate ?? trainDefaults.learningRate) * (learningRate as number),
    inverseTemperature:
      (base.inverseTemperature ?? trainDefaults.inverseTemperature) *
      (inverseTemperature as number),
    target: evidence
      ? ({
          ...base.target,
          target,
          labelDepth,
          boost,
          normalize,
        } as PartialTrainSettings['target'])
      : { ...base.target, target: 'one-hot' },
  }
}
