/** Slots of the table, a power of 2; each takes 16 bytes. */
export const STEM_SLOTS = 1 << 16

/**
 * Remembers the term of each word by the two hashes of both. The words of a language come back all
 * the time, and looking one up is far cheaper than stemming it. A slot keeps the word met last, so
 * the table never grows.
 */
export class StemCache {
  /** Word and term, two hashes each; a stop word's term is 0, 0. */
  readonly #slots = new Int32Array(STEM_SLOTS * 4)

  /** Where a word's term is: the index of its first hash in `terms`, or −1 if it is not known. */
  find(a: number, b: number): number {
    const at = slotOf(a, b)
    return this.#slots[at] === a && this.#slots[at + 1] === b ? at + 2 : -1
  }

  /** The hash at an index that `find` or `set` returned, or behind it. */
  at(index: number): number {
    return this.#slots[index]!
  }

  /** Keeps a word's term, and returns where. */
  set(a: number, b: number, termA: number, termB: number): number {
    const at = slotOf(a, b)
    this.#slots[at] = a
    this.#slots[at + 1] = b
    this.#slots[at + 2] = termA
    this.#slots[at + 3] = termB
    return at + 2
  }
}

function slotOf(a: number, b: number): number {
  const spread = Math.imul(a ^ (b >>> 7), 0x9e3779b1)
  return ((spread ^ (spread >>> 15)) & (STEM_SLOTS - 1)) * 4
}
