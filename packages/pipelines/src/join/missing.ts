/** What to do about queries and documents that lack an embedding or a text. */
export const missingPolicies = ['error', 'skip'] as const

/** `error` refuses the work, `skip` leaves them out and counts them. */
export type MissingPolicy = (typeof missingPolicies)[number]

/** Counts what is missing, and keeps the first ids for the message. */
export class MissingReport {
  readonly #kinds = new Map<string, { count: number; first: string[] }>()

  add(what: string, id: string): void {
    const kind = this.#kinds.get(what) ?? { count: 0, first: [] }
    kind.count++
    if (kind.first.length < 3) kind.first.push(id)
    this.#kinds.set(what, kind)
  }

  remarks(): string[] {
    return [...this.#kinds].map(([what, { count, first }]) => {
      const more = count > first.length ? ', …' : ''
      return `${count} ${what}: ${first.join(', ')}${more}`
    })
  }
}
