/** Counts what was left out or cut, by reason, with the first place of each reason. */
export class Tally {
  readonly #counts = new Map<string, { count: number; first: string }>()

  /** @param what A reason with its noun, such as `files left out (not UTF-8)`. */
  add(what: string, place: string, count = 1): void {
    const known = this.#counts.get(what)
    if (known) known.count += count
    else if (count > 0) this.#counts.set(what, { count, first: place })
  }

  /** One remark for each reason. */
  remarks(): string[] {
    return Array.from(
      this.#counts,
      ([what, { count, first }]) => `${what}: ${count}, first ${first}`,
    )
  }
}
