import { KithError } from '@kith/core'
import type { Hooks } from '../job/hooks.ts'
import type { MissingError } from './missing-place.ts'

/** The policies for queries and documents that lack an embedding or a text. */
export const missingPolicies = ['error', 'skip'] as const

/** `error` refuses the work; `skip` leaves out queries and documents that lack something, and counts them. */
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

  /** How many kinds of things lack something. */
  get size(): number {
    return this.#ids.size
  }

  /** Notes the id of a query or document that lacks something. */
  add(what: string, id: string): void {
    const ids = this.#ids.get(what)
    if (ids) ids.add(id)
    else this.#ids.set(what, new Set([id]))
  }

  /** Adds the ids of other reports, such as those of batches that other threads did. */
  addAll(missing: readonly MissingIds[]): void {
    for (const { what, ids } of missing) for (const id of ids) this.add(what, id)
  }

  /** Everything that was noted, for `addAll` of another report. */
  all(): MissingIds[] {
    return Array.from(this.#ids, ([what, ids]) => ({ what, ids: [...ids] }))
  }

  /** The counts and first ids of each kind, in the order in which kinds were noted. */
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
   * @param where The beginning of the message, such as `query 12: `.
   */
  check(policy: MissingPolicy, where = ''): void {
    if (policy === 'skip' || this.#ids.size === 0) return
    const problem = this.remarks().join('; ')
    const message = `${where}${problem} (missing: 'skip' goes on without them)`
    const kinds = [...this.#ids.keys()].join('\n')
    const id = this.list()[0]!.first[0]!
    throw Object.assign(new KithError('BAD_INPUT', message), { kinds, id }) satisfies MissingError
  }
}

/** Remarks on the queries and documents that were left out. */
export function remarkMissing(report: MissingReport, { onRemark }: Hooks, whose = ''): void {
  for (const remark of report.remarks()) onRemark?.(`${whose}${remark}`)
}
