/** Words of a posting: two halves of the term's hash, and tf, how often the text has the term. */
export const POSTING = 3

/** A buffer that one huge context has grown beyond this many words is not kept for the next. */
const KEPT_WORDS = 1 << 20

/** The postings of several texts, one after the other, in memory that is reused. */
export class Postings {
  /** Where each text's postings start, and where the last ones end; counted in postings. */
  starts: number[] = [0]
  words = new Uint32Array(1 << 12)
  #length = 0

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
    this.#length = 0
    if (this.words.length > KEPT_WORDS) this.#resize(KEPT_WORDS)
  }

  /** Makes room for more words of the current text and returns where they go. */
  extend(words: number): number {
    const at = this.#length
    this.#length += words
    if (this.#length > this.words.length) this.#resize(2 * this.#length)
    return at
  }

  /** The words added since belong to one text. */
  endText(): void {
    this.starts.push(this.count)
  }

  /** Appends one text's postings of others. */
  append(others: Postings, text: number): void {
    const from = others.starts[text]! * POSTING
    const to = others.starts[text + 1]! * POSTING
    const at = this.extend(to - from)
    this.words.set(others.words.subarray(from, to), at)
    this.endText()
  }

  /** All words, without the room to spare. */
  used(): Uint32Array {
    return this.words.subarray(0, this.#length)
  }

  #resize(length: number): void {
    const words = new Uint32Array(length)
    words.set(this.words.subarray(0, Math.min(length, this.words.length)))
    this.words = words
  }
}

/** The postings of a context without texts. */
export const noPostings = new Postings()
