import type { PreparedText } from './prepare-text.ts'

/** Words of a posting: two halves of the term's hash, and tf, how often the text has the term. */
export const POSTING = 3

/** The positions of terms if they are not known. */
export const noPositions = new Uint32Array(0)

/** A buffer that one huge context has grown beyond this many words is not kept for the next. */
const KEPT_WORDS = 1 << 20

/** The postings of several texts, one after the other, in memory that is reused. */
export class Postings {
  /** The start of each text's postings, and last the end; counted in postings. */
  starts: number[] = [0]
  /** How many of each text's first postings are the terms of its title. */
  titles: number[] = []
  words = new Uint32Array(1 << 12)
  #length = 0
  /** The positions of each text's terms if a prepared text has them; the others' are in `#own`. */
  #positions: (Uint32Array | undefined)[] = []
  #own = new Uint32Array(1 << 12)
  #ownStarts: number[] = [0]
  /** How many positions all texts have, and the longest text. */
  positions = 0
  longest = 0

  /** How many postings there are. */
  get count(): number {
    return this.#length / POSTING
  }

  /** How many texts there are. */
  get texts(): number {
    return this.starts.length - 1
  }

  clear(): void {
    this.starts = [0]
    this.titles = []
    this.#length = 0
    this.#positions = []
    this.#ownStarts = [0]
    this.positions = 0
    this.longest = 0
    if (this.words.length > KEPT_WORDS) this.words = new Uint32Array(KEPT_WORDS)
    if (this.#own.length > KEPT_WORDS) this.#own = new Uint32Array(KEPT_WORDS)
  }

  /** Makes room for more words of the current text and returns where they go. */
  extend(words: number): number {
    const at = this.#length
    this.#length += words
    if (this.#length > this.words.length) this.words = resized(this.words, 2 * this.#length)
    return at
  }

  /**
   * The words added since belong to one text.
   *
   * @param title How many of its postings are the terms of its title.
   * @param positions Where the text has its terms: as many as tf for each posting, one after the other.
   * @param kept Whether the array of positions stays unchanged, so that no copy is needed.
   */
  endText(title: number, positions: Uint32Array, kept = false): void {
    const from = this.#ownStarts.at(-1)!
    const end = kept ? from : from + positions.length
    if (end > this.#own.length) this.#own = resized(this.#own, 2 * end)
    if (!kept) this.#own.set(positions, from)
    this.starts.push(this.count)
    this.titles.push(title)
    this.#positions.push(kept ? positions : undefined)
    this.#ownStarts.push(end)
    this.positions += positions.length
    if (positions.length > this.longest) this.longest = positions.length
  }

  /**
   * The positions of a text's terms, by posting; empty if not known. Valid until the next change.
   */
  positionsOf(text: number): Uint32Array {
    const starts = this.#ownStarts
    return this.#positions[text] ?? this.#own.subarray(starts[text], starts[text + 1])
  }

  /** Appends one text's postings of others. */
  append(others: Postings, text: number): void {
    const from = others.starts[text]! * POSTING
    const to = others.starts[text + 1]! * POSTING
    const at = this.extend(to - from)
    this.words.set(others.words.subarray(from, to), at)
    this.endText(
      others.titles[text]!,
      others.positionsOf(text),
      others.#positions[text] !== undefined,
    )
  }

  /** All words, without the room to spare. */
  used(): Uint32Array {
    return this.words.subarray(0, this.#length)
  }
}

/** The only text of some postings, in memory of its own. */
export function preparedOf(
  text: Postings,
  tokenizer: PreparedText['tokenizer'],
  positions = true,
): PreparedText {
  const titleTerms = text.titles[0]!
  const postings = text.used()
  const where = positions ? text.positionsOf(0) : noPositions
  // One behind the other: reading the first brings the start of the second.
  const words = new Uint32Array(postings.length + where.length)
  words.set(postings)
  words.set(where, postings.length)
  return {
    postings: words.subarray(0, postings.length),
    positions: positions ? words.subarray(postings.length) : undefined,
    titleTerms: titleTerms > 0 ? titleTerms : undefined,
    tokenizer,
  }
}

function resized(words: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(length)
  longer.set(words)
  return longer
}

/** The postings of a context without texts. */
export const noPostings = new Postings()
