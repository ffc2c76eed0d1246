import { basename, join, resolve } from 'node:path'
import type { TrainingFigure } from '@kith/report'
import { readTraining, type StepPoint } from './read-training.ts'

/** Points of a curve of training losses: the loss of single steps goes up and down too much to be read. */
const STRETCHES = 60

/** The losses and validations of trainings, from the `metrics.jsonl` of their folders. */
export async function trainingFigure(
  folders: readonly string[],
  measure: string,
): Promise<TrainingFigure> {
  const runs = []
  for (const folder of folders) {
    const { points, steps } = await readTraining(join(folder, 'metrics.jsonl'), measure)
    // A training that was stopped at once has no steps.
    const means = steps.length > 0 ? meansOf(steps) : undefined
    runs.push({ name: basename(resolve(folder)), points, steps: means })
  }
  return { kind: 'training', measure, runs }
}

/** The mean losses of stretches of steps, each at its last step. */
function meansOf(steps: readonly StepPoint[]): StepPoint[] {
  const size = Math.ceil(steps.length / STRETCHES)
  const means: StepPoint[] = []
  for (let from = 0; from < steps.length; from += size) {
    const stretch = steps.slice(from, from + size)
    const sum = stretch.reduce((total, { loss }) => total + loss, 0)
    means.push({ step: stretch.at(-1)!.step, loss: sum / stretch.length })
  }
  return means
}
