/** Places of the table, a power of 2, each with four slots: a line of the processor's cache. */
export const STEM_PLACES = 1 << 15

/** Bytes of a table: four slots of 16 bytes for each place. */
export const STEM_BYTES = STEM_PLACES * 64

/** Integers of a slot: word and term, two hashes each. */
const SLOT = 4
const SLOTS = 4

/**
 * Remembers the term of each word by the two hashes of both. The words of a language come back all
 * the time, and looking one up is far cheaper than stemming it. A place keeps the four words that
 * came last, so the table never grows.
 */
export class StemCache {
  /** A stop word's term is 0, 0. */
  readonly #slots = new Int32Array(STEM_BYTES / 4)

  /** Where a word's term is: the index of its first hash in `terms`, or −1 if it is not known. */
  find(a: number, b: number): number {
    const place = placeOf(a, b)
    for (let at = place; at < place + SLOTS * SLOT; at += SLOT) {
      if (this.#slots[at] === a && this.#slots[at + 1] === b) return at + 2
    }
    return -1
  }

  /** The hash at an index that `find` or `set` returned, or behind it. */
  at(index: number): number {
    return this.#slots[index]!
  }

  /** Keeps a word's term, and returns where. */
  set(a: number, b: number, termA: number, termB: number): number {
    const at = placeOf(a, b)
    this.#slots.copyWithin(at + SLOT, at, at + (SLOTS - 1) * SLOT)
    this.#slots[at] = a
    this.#slots[at + 1] = b
    this.#slots[at + 2] = termA
    this.#slots[at + 3] = termB
    return at + 2
  }
}

function placeOf(a: number, b: number): number {
  const spread = Math.imul(a ^ (b >>> 7), 0x9e3779b1)
  return ((spread ^ (spread >>> 15)) & (STEM_PLACES - 1)) * SLOTS * SLOT
}
