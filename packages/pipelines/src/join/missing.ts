import { KithError } from '@kith/core'
import type { Hooks } from '../hooks.ts'

/** What to do about queries and documents that lack an embedding or a text. */
export const missingPolicies = ['error', 'skip'] as const

/** `error` refuses the work; `skip` leaves out what lacks something, and counts it. */
export type MissingPolicy = (typeof missingPolicies)[number]

/** How many ids a remark names. */
const NAMED = 3

/** Things of one kind that lack something: how many, and the first ids. */
export interface Missing {
  /** Such as `candidates have no embedding`. */
  what: string
  count: number
  first: readonly string[]
}

/** The ids of one kind of things that lack something: all of them, so that reports can be joined. */
export interface MissingIds {
  what: string
  ids: readonly string[]
}

/** Which queries and documents lack something; each id counts once. */
export class MissingReport {
  readonly #ids = new Map<string, Set<string>>()

  /** Notes that something with this id lacks something. */
  add(what: string, id: string): void {
    const ids = this.#ids.get(what)
    if (ids) ids.add(id)
    else this.#ids.set(what, new Set([id]))
  }

  /** Notes what other reports have, such as those of batches that other threads did. */
  addAll(missing: readonly MissingIds[]): void {
    for (const { what, ids } of missing) for (const id of ids) this.add(what, id)
  }

  /** Everything that was noted, for `addAll` of another report. */
  all(): MissingIds[] {
    return Array.from(this.#ids, ([what, ids]) => ({ what, ids: [...ids] }))
  }

  /** What is missing, kind by kind, in the order in which it was noticed. */
  list(): Missing[] {
    return Array.from(this.#ids, ([what, ids]) => {
      return { what, count: ids.size, first: [...ids].slice(0, NAMED) }
    })
  }

  /** The same for people, such as `2 candidates have no embedding: d7, d9`. */
  remarks(): string[] {
    return this.list().map(({ what, count, first }) => {
      return `${count} ${what}: ${first.join(', ')}${count > first.length ? ', …' : ''}`
    })
  }

  /**
   * Throws where something is missing and must not be.
   *
   * @param where Whose it is, such as `query 12: `.
   */
  check(policy: MissingPolicy, where = ''): void {
    if (policy === 'skip' || this.#ids.size === 0) return
    const problem = this.remarks().join('; ')
    throw new KithError('BAD_INPUT', `${where}${problem} (missing: skip goes on without them)`)
  }
}

/** Tells people what was left out. */
export function remarkMissing(report: MissingReport, { onRemark }: Hooks, whose = ''): void {
  for (const remark of report.remarks()) onRemark?.(`${whose}${remark}`)
}
