import { readFile } from 'node:fs/promises'
import { FileError } from '@kith/base'

/** One validation of a training, as a curve has it. */
export interface ValidationPoint {
  step: number
  loss: number
  value: number
}

/** The loss of one step of the optimizer. */
export interface StepPoint {
  step: number
  loss: number
}

/** Reads the steps and validations of a `metrics.jsonl`; a last line that a crash cut off is left out. */
export async function readTraining(
  file: string,
  measure: string,
): Promise<{ points: ValidationPoint[]; steps: StepPoint[] }> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new FileError(file, '', 'cannot be read: name a folder that kith train wrote')
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
  if (points.length === 0) throw new FileError(file, '', 'holds no validations of kith train')
  return { points, steps }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
