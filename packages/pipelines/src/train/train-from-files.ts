import { basename, join, resolve } from 'node:path'
import { writeAtomic } from '@kith/base'
import { throwIfAborted } from '@kith/core/internal'
import type { Metric } from '@kith/stores'
import type { StepRecord, TrainingResult, ValidationRecord } from '@kith/train'
import { writeSidecar } from '../files/sidecar.ts'
import type { Hooks } from '../job/hooks.ts'
import { jobDefaults } from '../job/job-defaults.ts'
import { someMissing } from '../join/missing.ts'
import { trainingFigure } from './compare-trainings.ts'
import { type HeldOutFigures, heldOutFigures, type MeasuredBy } from './hold-out.ts'
import { openTraining, type TrainingSetup } from './open-training.ts'
import { loadTrain, modelSettings, openTrained, type TrainingInputs } from './training-inputs.ts'
import { learnedBy, remarkCutQueries, type TrainingReport } from './training-report.ts'

/** The inputs and the folder of a training. */
export interface TrainInputs extends TrainingInputs {
  /** The folder for the trained model, the checkpoints and `metrics.jsonl`. */
  out: string
}

/** The result of a training. */
export interface TrainResult extends TrainingResult, TrainingReport {
  out: string
  /** A page with the validation curves, if there are validations. */
  curves: string | undefined
  /**
   * The figures before and after on held-out queries that did not choose the checkpoint, if any.
   */
  heldOut: HeldOutFigures | undefined
  /**
   * Whether the folder holds the original weights, since training gained nothing on held-out
   * queries.
   */
  keepsOld: boolean
  /** The metric for searching the documents: the metric of the training run. */
  metric: Metric
}

/**
 * Fine-tunes a query encoder, or an adapter of query embeddings, on fixed document embeddings. If
 * it is interrupted, the same call resumes from the last checkpoint, and ends with the same
 * weights.
 *
 * ```ts
 * const { best } = await trainFromFiles({
 *   docs: 'docs.npy', adapter: 'linear',
 *   training: { queries: 'queries.npy', run: 'run.trec', qrels: 'train.tsv' },
 *   validation: { queries: 'queries.npy', run: 'run.trec', qrels: 'dev.tsv' },
 *   settings: { epochs: 20, inverseTemperature: 20 }, out: 'trained',
 * })
 * ```
 */
export async function trainFromFiles(inputs: TrainInputs, hooks: Hooks = {}): Promise<TrainResult> {
  const { out } = inputs
  const setup = await openTraining(inputs, hooks)
  try {
    const model = await setup.openModel()
    const { queries, validation, settings, files, missing } = setup
    const cut = remarkCutQueries(model, queries, validation ?? [], hooks)
    throwIfAborted(hooks.signal)
    const result = await trainWith(setup, model, out, hooks)
    const made = { ...settings, ...modelSettings(inputs), maxTokens: model.maxTokens }
    const learnedFrom = await learnedBy(setup, inputs, out)
    const metric = setup.metric === 'auto' ? 'dot' : setup.metric
    const heldOut = await compareHeldOut(setup, metric, inputs)
    const gains = !heldOut || heldOut.measures[jobDefaults.measure]!.difference > 0
    const keepsOld = result.best?.step === 0 || !gains
    if (!gains) await (await setup.openModel()).save(out)
    const more = { cut, missing: someMissing(missing), heldOut, keepsOld, learnedFrom }
    await writeSidecar(out, 'train', made, files, more)
    const curves = validation && (await drawCurves(out))
    return { out, ...result, cut, missing, curves, heldOut, keepsOld, metric }
  } finally {
    await setup.close()
  }
}

/** Compares the model before and after training on the held-out queries, if any. */
async function compareHeldOut(
  { heldOut, docs, by, device, openModel }: TrainingSetup,
  metric: Metric,
  inputs: TrainInputs,
): Promise<HeldOutFigures | undefined> {
  if (!heldOut) return undefined
  const { out } = inputs
  const level = by === 'judgments' ? inputs.level : undefined
  const [before, after] = [await openModel(), await openTrained(inputs, out)]
  return heldOutFigures(heldOut, { before, after, docs, by, metric, device, level, out })
}

/** Trains, or resumes a training, in a folder; throws the signal's reason if it was aborted. */
async function trainWith(
  setup: TrainingSetup,
  model: Awaited<ReturnType<TrainingSetup['openModel']>>,
  out: string,
  { onProgress, onRemark, signal }: Hooks,
): Promise<TrainingResult> {
  const { train } = await loadTrain()
  const { queries, validation, settings, relabel } = setup
  const total = settings.steps
  const result = await train({
    ...{ model, documents: setup.docs, queries, validation, settings, out },
    documentsVersion: setup.docsVersion,
    relabel,
    onRemark,
    ...setup.device,
    resume: true,
    signal,
    onLowerLayers: (done, layers) => onProgress?.({ stage: 'lower layers', done, total: layers }),
    onStart: (done) => onProgress?.({ stage: 'training', done, total }),
    onStep: (record) =>
      onProgress?.({ stage: 'training', done: record.step, total, note: stepNote(record) }),
    onValidation: (record) => onRemark?.(validationLine(record, setup.by)),
  })
  if (result.ended === 'stopped') {
    onRemark?.(`${out}: the checkpoint of step ${result.steps} of ${total} is saved`)
    throwIfAborted(signal)
  }
  return result
}

function stepNote({ loss, learningRate, labelShare }: StepRecord): string {
  const labels = labelShare > 0 ? `, labels ${(100 * labelShare).toFixed(1)} % of the step` : ''
  return `loss ${loss.toFixed(4)}, rate ${learningRate.toExponential(2)}${labels}`
}

function validationLine({ step, loss, measures }: ValidationRecord, by: MeasuredBy): string {
  const figures = Object.entries(measures).map(([name, value]) => `${name} ${value.toFixed(4)}`)
  const labels = by === 'judgments' ? 'original labels' : 'agreement with the teacher'
  return `step ${step}: validation loss ${loss.toFixed(4)} (${labels}), ${figures.join(', ')}`
}

/** Plots the validations of a training beside its metrics: an image and a page. */
async function drawCurves(folder: string): Promise<string> {
  const { renderReport, standaloneSvg } = await import('@kith/report')
  const { trainingCurves } = await import('@kith/report/internal')
  const figure = await trainingFigure([folder], jobDefaults.measure)
  const [picture, page] = [join(folder, 'curves.svg'), join(folder, 'curves.html')]
  await writeAtomic(picture, (write) => write(standaloneSvg(trainingCurves(figure))))
  const about = `Folder ${basename(resolve(folder))}`
  const html = renderReport({ title: 'Training curves', about, figures: [figure] })
  await writeAtomic(page, (write) => write(html))
  return page
}
