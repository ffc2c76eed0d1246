import { POSTING, type Postings } from './postings.ts'

/** A term's hashes before its first code unit; for each unit follows `x = imul(x ^ unit, FACTOR)`. */
export const SEED_A = 0x811c9dc5 | 0
export const SEED_B = 0x9747b28c | 0
export const FACTOR_A = 0x01000193
export const FACTOR_B = 0x5bd1e995

/** The upper half keeps 21 bits, so that both halves together are an exact JavaScript number. */
const UPPER_BITS = 21

/** Tables up to this size are kept for the next text. */
const KEPT_SLOTS = 1 << 16

/**
 * Counts the terms of one text by a 53-bit hash, so that no dictionary has to
 * be kept: among a million different terms, two share a hash with a
 * probability of one in ten thousand.
 */
export class TermCounter {
  /** Open addressing: a term's number, from 1, at a place that its hash gives. */
  #slots = new Int32Array(1024)
  #a = new Int32Array(512)
  #b = new Int32Array(512)
  #counts = new Int32Array(512)
  #places = new Int32Array(512)
  /** The number of each term that was counted, from 0, in their order. */
  #order = new Uint32Array(512)
  #length = 0
  #size = 0
  /** A hash of 32 bits, shifted right by this many bits, is a place in the table. */
  #shift = 22

  /** How many different terms were counted. */
  get size(): number {
    return this.#size
  }

  /** Counts one occurrence of the term whose two hashes these are. */
  count(a: number, b: number): void {
    const slots = this.#slots
    const mask = slots.length - 1
    let place = spread(a, b) >>> this.#shift
    for (let number = slots[place]!; number > 0; number = slots[place]!) {
      if (this.#a[number - 1] === a && this.#b[number - 1] === b) {
        this.#counts[number - 1]!++
        this.#append(number - 1)
        return
      }
      place = (place + 1) & mask
    }
    const term = this.#size++
    this.#append(term)
    this.#a[term] = a
    this.#b[term] = b
    this.#counts[term] = 1
    this.#places[term] = place
    slots[place] = this.#size
    if (this.#size === this.#a.length) this.#grow()
  }

  /**
   * Appends the postings of the terms counted, in the order of their first occurrence, and starts
   * again. `title` is how many of them are the title's.
   */
  drain(postings: Postings, title = 0): void {
    let at = postings.extend(this.#size * POSTING)
    const { words } = postings
    const positions = this.#positionsOf()
    for (let term = 0; term < this.#size; term++) {
      const [lower, upper] = postingHashes(this.#a[term]!, this.#b[term]!)
      words[at] = lower
      words[at + 1] = upper
      words[at + 2] = this.#counts[term]!
      at += POSTING
      this.#slots[this.#places[term]!] = 0
    }
    this.#size = 0
    if (this.#slots.length > KEPT_SLOTS) this.#resize(KEPT_SLOTS)
    postings.endText(title, positions)
    this.#length = 0
    if (this.#order.length > KEPT_SLOTS) this.#order = new Uint32Array(KEPT_SLOTS)
  }

  /** The positions of each term, term after term. */
  #positionsOf(): Uint32Array {
    const next = new Uint32Array(this.#size)
    for (let term = 1; term < this.#size; term++) {
      next[term] = next[term - 1]! + this.#counts[term - 1]!
    }
    const positions = new Uint32Array(this.#length)
    for (let i = 0; i < this.#length; i++) positions[next[this.#order[i]!]!++] = i
    return positions
  }

  #append(term: number): void {
    if (this.#length === this.#order.length) {
      const longer = new Uint32Array(this.#length * 2)
      longer.set(this.#order)
      this.#order = longer
    }
    this.#order[this.#length++] = term
  }

  #grow(): void {
    this.#resize(this.#slots.length * 2)
    const mask = this.#slots.length - 1
    for (let term = 0; term < this.#size; term++) {
      let place = spread(this.#a[term]!, this.#b[term]!) >>> this.#shift
      while (this.#slots[place]! > 0) place = (place + 1) & mask
      this.#slots[place] = term + 1
      this.#places[term] = place
    }
  }

  /** Never more than half of the slots are taken. */
  #resize(slots: number): void {
    this.#slots = new Int32Array(slots)
    this.#shift = Math.clz32(slots - 1)
    this.#a = resized(this.#a, slots / 2)
    this.#b = resized(this.#b, slots / 2)
    this.#counts = resized(this.#counts, slots / 2)
    this.#places = new Int32Array(slots / 2)
  }
}

/** Mixes the two hashes; the best bits are at the top. */
function spread(a: number, b: number): number {
  return Math.imul(a ^ (b >>> 7), 0x9e3779b1)
}

/** The 53-bit hash of the term that some code points are, as an exact number. */
export function hashOf(a: number, b: number): number {
  const [lower, upper] = postingHashes(a, b)
  return upper * 2 ** 32 + (lower >>> 0)
}

/** The two hashes of a term as its posting has them; two zeros stay. */
export function postingHashes(a: number, b: number): [lower: number, upper: number] {
  const lower = scramble(a)
  return [lower, scramble(b ^ lower) >>> (32 - UPPER_BITS)]
}

/** Spreads what the multiplications left in the upper bits over all of them. */
function scramble(hash: number): number {
  let h = hash ^ (hash >>> 16)
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return h ^ (h >>> 16)
}

function resized(from: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const to = new Int32Array(length)
  to.set(from.subarray(0, length))
  return to
}

/** The two hashes of a term, by its code points. */
export function hashString(term: string): [a: number, b: number] {
  let a = SEED_A
  let b = SEED_B
  for (let at = 0; at < term.length; at++) {
    const code = term.codePointAt(at)!
    // A character beyond the first plane takes two units.
    if (code > 0xffff) at++
    a = Math.imul(a ^ code, FACTOR_A)
    b = Math.imul(b ^ code, FACTOR_B)
  }
  return [a, b]
}

/** The two hashes of a term; 0 and 0 for an empty term, as stop words have. */
export function hashTerm(term: string): [a: number, b: number] {
  return term === '' ? [0, 0] : hashString(term)
}

/** The two hashes of the term that the code points from here on are. */
export function hashCodes(codes: readonly number[], from: number): [a: number, b: number] {
  let a = SEED_A
  let b = SEED_B
  for (let i = from; i < codes.length; i++) {
    a = Math.imul(a ^ codes[i]!, FACTOR_A)
    b = Math.imul(b ^ codes[i]!, FACTOR_B)
  }
  return [a, b]
}
