/** So many arrays are kept for the next call, of each kind: a call with one probe takes fewer. */
const KEPT = 16

/**
 * Arrays that the steps of one call compute in, and the steps of the next call again. V8 keeps an
 * array of more than 64 bytes outside its heap: to make and to collect one takes longer than to fill
 * it. Calls take the same arrays in the same order, so that their lengths mostly fit.
 */
export class Scratch {
  readonly #floats: Float32Array[] = []
  readonly #doubles: Float64Array[] = []
  #takenFloats = 0
  #takenDoubles = 0

  /** An array until the release, with the numbers of an earlier call in it. */
  floats(length: number): Float32Array {
    const place = this.#takenFloats++
    const known = place < this.#floats.length ? this.#floats[place]! : undefined
    if (known !== undefined && known.length === length) return known
    const made = new Float32Array(length)
    this.#floats[place] = made
    return made
  }

  /** The same in double precision. */
  doubles(length: number): Float64Array {
    const place = this.#takenDoubles++
    const known = place < this.#doubles.length ? this.#doubles[place]! : undefined
    if (known !== undefined && known.length === length) return known
    const made = new Float64Array(length)
    this.#doubles[place] = made
    return made
  }

  /** Takes all arrays back. */
  release(): void {
    this.#takenFloats = 0
    this.#takenDoubles = 0
    if (this.#floats.length > KEPT) this.#floats.length = KEPT
    if (this.#doubles.length > KEPT) this.#doubles.length = KEPT
  }
}
