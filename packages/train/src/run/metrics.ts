import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { appendAll, FileError, writeAtomic } from '@kith/base'
import type { Validation } from './validate.ts'

/** A step of the optimizer in `metrics.jsonl`. */
export interface StepRecord {
  step: number
  /** The mean loss over the step's queries. */
  loss: number
  learningRate: number
  /** The gradient norm before clipping. */
  norm: number
  /** The duration of the step, and the fraction of it spent on computing targets. */
  milliseconds: number
  labelShare: number
}

/** A validation in `metrics.jsonl`; step 0 is the base model. */
export interface ValidationRecord extends Validation {
  step: number
}

/** A line of `metrics.jsonl`. */
export type MetricsRecord =
  | ({ kind: 'step' } & StepRecord)
  | ({ kind: 'validation' } & ValidationRecord)

/** Writes `metrics.jsonl` of a training: one line per step and per validation. */
export class MetricsFile {
  readonly #file: string

  private constructor(file: string) {
    this.#file = file
  }

  /**
   * Opens the file for a new training, or for a training that resumes after a step: then the lines
   * up to that step stay, including the validation of step 0, and later lines are removed, since
   * the training repeats those steps.
   */
  static async open(folder: string, after: number | undefined): Promise<MetricsFile> {
    const file = join(folder, 'metrics.jsonl')
    const kept =
      after === undefined ? [] : (await readMetrics(file)).filter(({ step }) => step <= after)
    await writeAtomic(file, (write) =>
      write(kept.map((record) => `${JSON.stringify(record)}\n`).join('')),
    )
    return new MetricsFile(file)
  }

  async add(record: MetricsRecord): Promise<void> {
    await appendAll(this.#file, `${JSON.stringify(record)}\n`)
  }
}

/**
 * Reads `metrics.jsonl`; returns an empty array if there is no such file. A last line that a crash
 * truncated is left out.
 *
 * ```ts
 * const records = await readMetrics('trained/metrics.jsonl')
 * ```
 */
export async function readMetrics(file: string): Promise<MetricsRecord[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw new FileError(file, '', error.message)
  })
  const lines = text.split('\n')
  return lines.flatMap((line, i) => {
    const record = recordOf(line)
    if (record) return [record]
    if (i === lines.length - 1) return []
    throw new FileError(file, `line ${i + 1}`, 'is not a training record; remove the line')
  })
}

function recordOf(line: string): MetricsRecord | undefined {
  try {
    const record = JSON.parse(line) as MetricsRecord | null
    const known = record?.kind === 'step' || record?.kind === 'validation'
    return known && Number.isSafeInteger(record.step) ? record : undefined
  } catch {
    return undefined
  }
}
