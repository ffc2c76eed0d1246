/** Pairs of slots of the table, a power of 2; each pair takes 32 bytes. */
export const STEM_PAIRS = 1 << 16

/** Bytes of a table. */
export const STEM_BYTES = STEM_PAIRS * 32

/**
 * Remembers the term of each word by the two hashes of both. The words of a language come back all
 * the time, and looking one up is far cheaper than stemming it. A pair of slots keeps the two words
 * that came last, so the table never grows.
 */
export class StemCache {
  /** Word and term, two hashes each; a stop word's term is 0, 0. */
  readonly #slots = new Int32Array(STEM_BYTES / 4)

  /** Where a word's term is: the index of its first hash in `terms`, or −1 if it is not known. */
  find(a: number, b: number): number {
    const at = pairOf(a, b)
    if (this.#slots[at] === a && this.#slots[at + 1] === b) return at + 2
    return this.#slots[at + 4] === a && this.#slots[at + 5] === b ? at + 6 : -1
  }

  /** The hash at an index that `find` or `set` returned, or behind it. */
  at(index: number): number {
    return this.#slots[index]!
  }

  /** Keeps a word's term, and returns where. */
  set(a: number, b: number, termA: number, termB: number): number {
    const at = pairOf(a, b)
    this.#slots.copyWithin(at + 4, at, at + 4)
    this.#slots[at] = a
    this.#slots[at + 1] = b
    this.#slots[at + 2] = termA
    this.#slots[at + 3] = termB
    return at + 2
  }
}

function pairOf(a: number, b: number): number {
  const spread = Math.imul(a ^ (b >>> 7), 0x9e3779b1)
  return ((spread ^ (spread >>> 15)) & (STEM_PAIRS - 1)) * 8
}
