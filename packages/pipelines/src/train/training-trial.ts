import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { throwIfAborted } from '@kith/core/internal'
import type { PartialTrainSettings } from '@kith/train'
import type { RunningTrial } from '@kith/tune'
import type { Hooks } from '../job/hooks.ts'
import { loadTrain } from './load-train.ts'
import type { TrainingSetup } from './open-training.ts'
import { trialSettings } from './training-space.ts'

/** The folder of a trial's training. */
export function trialFolder(out: string, trial: number): string {
  return join(out, `trial-${String(trial + 1).padStart(3, '0')}`)
}

/** Of a trial that is not the best only its metrics stay: checkpoints are large. */
export async function keepMetrics(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name !== 'metrics.jsonl') await rm(join(folder, name), { recursive: true })
  }
}

/** One training of the search; ended early where its validations fall behind those of others. */
export async function trainTrial(
  setup: TrainingSetup,
  base: PartialTrainSettings & { steps: number },
  { trial, parameters, report }: RunningTrial,
  out: string,
  { onProgress, signal }: Hooks,
): Promise<void> {
  throwIfAborted(signal)
  const { criterion, train } = await loadTrain()
  const behind = new AbortController()
  const settings = trialSettings(parameters, base)
  const value = criterion(settings.selectBy!)
  const folder = trialFolder(out, trial)
  // A trial continued from the files of a stopped program would not report its first values again.
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
  // A trial that was stopped by the signal has no value; a trial that fell behind has one.
  if (ended === 'stopped' && !behind.signal.aborted) throwIfAborted(signal)
}
