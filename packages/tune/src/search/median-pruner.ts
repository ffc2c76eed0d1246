/** Trials that must have come as far before one is judged by them, and reports before it is judged at all. */
const OTHERS = 4
const GRACE = 2

/** The course of a trial: its best value so far, compared with the courses of others. */
export class MedianPruner {
  readonly #others: readonly (readonly number[])[]
  readonly values: number[] = []
  pruned = false

  constructor(others: readonly (readonly number[])[]) {
    this.#others = others
  }

  /** The best value; one that reported none is worth less than any other. */
  get best(): number {
    return this.values.at(-1) ?? -Number.MAX_VALUE
  }

  /** Takes the next value; false once the best one is below the median of the others' at this point. */
  add(value: number): boolean {
    this.values.push(Math.max(this.best, Number.isFinite(value) ? value : -Number.MAX_VALUE))
    const at = this.values.length - 1
    if (this.values.length <= GRACE) return true
    const there = this.#others.flatMap((course) => course[at] ?? []).sort((a, b) => a - b)
    if (there.length < OTHERS) return true
    this.pruned = this.best < there[Math.floor(there.length / 2)]!
    return !this.pruned
  }
}
