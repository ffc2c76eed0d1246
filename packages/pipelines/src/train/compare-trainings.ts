import { readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { FileError, writeAtomic } from '@kith/base'
import type { TrainingFigure } from '@kith/report'
import { jobDefaults } from '../job/job-defaults.ts'

/** The trainings to compare, and the file for the figure. */
export interface CompareTrainingsInputs {
  /** The folders of trainings, with their `metrics.jsonl`. */
  folders: readonly string[]
  /** The figure to write: `.svg`, or `.html` for a page. */
  out: string
  /** The measure: MRR@10, nDCG@10, MAP@10 or Recall@10; default nDCG@10. */
  measure?: string | undefined
}

/**
 * Plots the validation curves of several trainings in one figure.
 *
 * ```ts
 * await compareTrainings({ folders: ['first', 'second'], out: 'curves.html' })
 * ```
 */
export async function compareTrainings({
  folders,
  out,
  measure = jobDefaults.measure,
}: CompareTrainingsInputs): Promise<{ out: string; trainings: number }> {
  const { renderReport, standaloneSvg } = await import('@kith/report')
  const { trainingCurves } = await import('@kith/report/internal')
  const figure = await trainingFigure(folders, measure)
  const picture = out.endsWith('.html')
    ? renderReport({ title: 'Trainings compared', figures: [figure] })
    : standaloneSvg(trainingCurves(figure))
  await writeAtomic(out, (write) => write(picture))
  return { out, trainings: folders.length }
}

/**
 * Number of points in a curve of training losses: the losses of single steps fluctuate too much.
 */
const STRETCHES = 60

/** Reads the losses and validations of trainings from the `metrics.jsonl` of their folders. */
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

/** Returns the mean losses of ranges of steps, each at its last step. */
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

/** A validation of a training, as a point of a curve. */
interface ValidationPoint {
  step: number
  loss: number
  value: number
}

/** The loss of one step of the optimizer. */
interface StepPoint {
  step: number
  loss: number
}

/**
 * Reads the steps and validations of a `metrics.jsonl`; leaves out a last line that a crash
 * truncated.
 */
async function readTraining(
  file: string,
  measure: string,
): Promise<{ points: ValidationPoint[]; steps: StepPoint[] }> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new FileError(file, '', 'cannot be read; name a folder that kith train wrote')
  })
  const points: ValidationPoint[] = []
  const steps: StepPoint[] = []
  const lines = text.split('\n')
  lines.forEach((line, i) => {
    if (line.trim() === '') return
    const wrong = (problem: string) => new FileError(file, `line ${i + 1}`, problem)
    let record: unknown
    try {
      record = JSON.parse(line)
    } catch {
      if (i === lines.length - 1 && points.length > 0) return
      throw wrong('is not JSON')
    }
    const { kind, step, loss, measures } = (record ?? {}) as Record<string, unknown>
    if (kind !== 'step' && kind !== 'validation') {
      throw wrong('is neither a step nor a validation')
    }
    const isNumbered = isCount(step) && typeof loss === 'number'
    if (kind === 'step') {
      if (!isNumbered) throw wrong('expected a step with its loss')
      steps.push({ step, loss })
      return
    }
    if (!isNumbered || typeof measures !== 'object') {
      throw wrong('expected a validation with step, loss and measures')
    }
    const value = (measures as Record<string, unknown> | null)?.[measure]
    if (typeof value !== 'number') {
      throw wrong(`has no ${measure}: try nDCG@10, MRR@10, MAP@10 or Recall@10`)
    }
    points.push({ step, loss, value })
  })
  if (points.length === 0)
    throw new FileError(file, '', 'contains no validations; run kith train with --dev-queries')
  return { points, steps }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
