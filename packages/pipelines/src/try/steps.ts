import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findPath, writeAtomic } from '@kith/base'
import type { Dataset } from '../dataset/dataset.ts'
import { KEPT } from '../dataset/find-files.ts'
import type { RoleName } from '../dataset/roles.ts'
import { readSidecar } from '../files/sidecar.ts'
import type { TriedSystem } from './verdict.ts'

/** The names of the compared systems, by the roles of their runs, in the order of the table. */
const names = {
  run: 'vector search',
  bm25: 'BM25',
  rrf: 'RRF of both',
  fusion: 'dense + BM25 score fusion',
  kith: 'Kith',
  tunedKith: 'Kith, tuned (held out)',
  adaptedKith: 'Kith, query adapter',
} as const

/** The role of a compared system's run. */
export type TriedRole = keyof typeof names

/** The amount of work in a step. */
interface Worked {
  queries: number
  seconds: number
}

/** The time of a step per query, and the number of threads; undefined for all cores. */
interface StepTime {
  milliseconds: number
  workers?: number | undefined
}

/** Runs the steps of a try that make runs; skips finished steps and records their times. */
export class Steps {
  readonly #dataset: Dataset
  readonly #journal: string
  readonly #times: Record<string, StepTime>
  readonly #workers: number | undefined

  /** @param workers Number of threads; undefined for all cores. */
  constructor(dataset: Dataset, workers: number | undefined) {
    this.#dataset = dataset
    this.#journal = join(dirname(dataset.place('kith')), `times${dataset.suffix}.json`)
    this.#times = readTimes(this.#journal)
    this.#workers = workers
  }

  /**
   * Makes the run of a role, unless it exists with the same settings, is not older than the files
   * in `behind`, and has a recorded time. Returns undefined if the run cannot be made.
   */
  async do(
    role: TriedRole,
    make: (out: string) => Promise<Worked | undefined>,
    settings: Readonly<Record<string, unknown>> = {},
    behind: readonly string[] = [],
  ): Promise<string | undefined> {
    const there = await this.#dataset.find(role as RoleName)
    const isKept = there?.includes(join(this.#dataset.folder, KEPT))
    if (there !== undefined && !isKept) return there
    const isNew = behind.every((file) => there && modifiedAt(file) <= modifiedAt(there))
    if (there !== undefined && isNew && this.#times[role] !== undefined) {
      const made = (await readSidecar(there))?.settings ?? {}
      if (Object.entries(settings).every(([name, value]) => made[name] === value)) return there
    }
    const out = this.#dataset.place(role)
    const worked = await make(out)
    if (!worked) return undefined
    const milliseconds = (1000 * worked.seconds) / Math.max(1, worked.queries)
    this.#times[role] = { milliseconds, workers: this.#workers }
    const text = `${JSON.stringify(this.#times, undefined, 2)}\n`
    await writeAtomic(this.#journal, (write) => write(text))
    return out
  }

  /** Returns the tried systems with their times. */
  systems(files: Readonly<Record<TriedRole, string | undefined>>): TriedSystem[] {
    return (Object.keys(names) as TriedRole[]).flatMap((role) => {
      const file = files[role]
      if (file === undefined) return []
      return [{ name: names[role], role, file, ...this.#times[role] }]
    })
  }
}

function modifiedAt(file: string): number {
  return findPath(file)?.mtimeMs ?? 0
}

function readTimes(file: string): Record<string, StepTime> {
  if (!findPath(file)) return {}
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, StepTime>
  } catch {
    // If the journal cannot be read, the steps run again.
    return {}
  }
}
