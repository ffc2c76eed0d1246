import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findPath, writeAtomic } from '@kith/base'
import type { Dataset } from '../dataset/dataset.ts'
import { KEPT } from '../dataset/find-files.ts'
import type { RoleName } from '../dataset/roles.ts'
import { readSidecar } from '../files/sidecar.ts'
import type { TriedSystem } from './verdict.ts'

/** The names of the systems that are compared, by the roles of their runs, in the order of the table. */
const names = {
  run: 'vector search',
  bm25: 'BM25',
  rrf: 'RRF of both',
  fusion: 'dense + BM25 score fusion',
  kith: 'Kith',
  tunedKith: 'Kith, tuned (held out)',
  adaptedKith: 'Kith, query adapter',
} as const

/** A run of a system that is compared. */
export type TriedRole = keyof typeof names

/** The work of a step. */
interface Worked {
  queries: number
  seconds: number
}

/** The steps of a try that make runs: finished steps are not repeated, and their times are kept. */
export class Steps {
  readonly #dataset: Dataset
  readonly #journal: string
  readonly #milliseconds: Record<string, number>

  constructor(dataset: Dataset) {
    this.#dataset = dataset
    this.#journal = join(dirname(dataset.place('kith')), `times${dataset.suffix}.json`)
    this.#milliseconds = readTimes(this.#journal)
  }

  /**
   * Makes the run of a role, unless it is there with the same settings, not older than some files,
   * and its time is known; undefined if it cannot be made.
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
    if (there !== undefined && isNew && this.#milliseconds[role] !== undefined) {
      const made = (await readSidecar(there))?.settings ?? {}
      if (Object.entries(settings).every(([name, value]) => made[name] === value)) return there
    }
    const out = this.#dataset.place(role)
    const worked = await make(out)
    if (!worked) return undefined
    this.#milliseconds[role] = (1000 * worked.seconds) / Math.max(1, worked.queries)
    const text = `${JSON.stringify(this.#milliseconds, undefined, 2)}\n`
    await writeAtomic(this.#journal, (write) => write(text))
    return out
  }

  /** The systems that were tried, with their times. */
  systems(files: Readonly<Record<TriedRole, string | undefined>>): TriedSystem[] {
    return (Object.keys(names) as TriedRole[]).flatMap((role) => {
      const file = files[role]
      if (file === undefined) return []
      return [{ name: names[role], role, file, milliseconds: this.#milliseconds[role] }]
    })
  }
}

function modifiedAt(file: string): number {
  return findPath(file)?.mtimeMs ?? 0
}

function readTimes(file: string): Record<string, number> {
  if (!findPath(file)) return {}
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>
  } catch {
    // An unreadable journal only costs the time to do the steps again.
    return {}
  }
}
