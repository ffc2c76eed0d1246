/** Places of the table, a power of 2, each with four slots: a line of the processor's cache. */
export const STEM_PLACES = 1 << 15

const SLOTS = 4

/**
 * Remembers the terms of each word by the two hashes of each. The words of a language come back all
 * the time, and looking one up is far cheaper than stemming it. A place keeps the four words that
 * came last, so the table never grows.
 */
export class StemCache {
  /** Integers of a slot: the word and its terms, two hashes each. */
  readonly #slot: number
  /** A stop word's term is 0, 0. */
  readonly #slots: Int32Array<ArrayBuffer>

  /** @param terms Number of terms of each word. */
  constructor(terms = 1) {
    this.#slot = 2 + 2 * terms
    this.#slots = new Int32Array(STEM_PLACES * SLOTS * this.#slot)
  }

  /** The index of the first hash of a word's term in `terms`, or −1 if the word is not known. */
  find(a: number, b: number): number {
    const slot = this.#slot
    const place = placeOf(a, b) * SLOTS * slot
    for (let at = place; at < place + SLOTS * slot; at += slot) {
      if (this.#slots[at] === a && this.#slots[at + 1] === b) return at + 2
    }
    return -1
  }

  /** The hash at an index that `find` or `set` returned, or behind it. */
  at(index: number): number {
    return this.#slots[index]!
  }

  /** Keeps the hashes of a word's terms, and returns where. */
  set(a: number, b: number, ...terms: readonly number[]): number {
    const at = placeOf(a, b) * SLOTS * this.#slot
    this.#slots.copyWithin(at + this.#slot, at, at + (SLOTS - 1) * this.#slot)
    this.#slots[at] = a
    this.#slots[at + 1] = b
    this.#slots.set(terms, at + 2)
    return at + 2
  }
}

function placeOf(a: number, b: number): number {
  const spread = Math.imul(a ^ (b >>> 7), 0x9e3779b1)
  return (spread ^ (spread >>> 15)) & (STEM_PLACES - 1)
}
