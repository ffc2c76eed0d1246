import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from '@kith/ir'
import type { Validation } from './validate.ts'

/** A step of the optimiser, as `metrics.jsonl` has it. */
export interface StepRecord {
  step: number
  /** The mean over the step's queries. */
  loss: number
  rate: number
  /** The length of the gradients before they were clipped. */
  norm: number
  /** What the step took, and the share of it that making targets took. */
  milliseconds: number
  labelShare: number
}

/** A validation, as `metrics.jsonl` has it; step 0 is the base model. */
export interface ValidationRecord extends Validation {
  step: number
}

/** A line of `metrics.jsonl`. */
export type MetricsRecord =
  | ({ kind: 'step' } & StepRecord)
  | ({ kind: 'validation' } & ValidationRecord)

/** `metrics.jsonl` of a training: a line per step and per validation. */
export class MetricsFile {
  readonly #file: string

  private constructor(file: string) {
    this.#file = file
  }

  /** Opens the file, without the lines after a step: that is where training goes on. */
  static async open(folder: string, step: number): Promise<MetricsFile> {
    const file = join(folder, 'metrics.jsonl')
    await mkdir(folder, { recursive: true })
    const kept = step > 0 ? (await readMetrics(file)).filter((record) => record.step <= step) : []
    await writeWhole(file, (write) =>
      write(kept.map((record) => `${JSON.stringify(record)}\n`).join('')),
    )
    return new MetricsFile(file)
  }

  async add(record: MetricsRecord): Promise<void> {
    await appendFile(this.#file, `${JSON.stringify(record)}\n`)
  }
}

/** Reads `metrics.jsonl`; a last line that was cut off by a crash is left out. */
export async function readMetrics(file: string): Promise<MetricsRecord[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as MetricsRecord]
    } catch {
      return []
    }
  })
}
