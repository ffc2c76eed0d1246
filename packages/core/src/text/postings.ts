/** Words of a posting: two halves of the term's hash, and tf, how often the text has the term. */
export const POSTING = 3

/** A buffer that one huge context has grown beyond this many words is not kept for the next. */
const KEPT_WORDS = 1 << 20

/** The postings of several texts, one after the other, in memory that is reused. */
export class Postings {
  /** Where each text's postings start, and where the last ones end; counted in postings. */
  starts: number[] = [0]
  /** How many of each text's first postings are the terms of its title. */
  titles: number[] = []
  words = new Uint32Array(1 << 12)
  #length = 0
  /** The order of each text's terms where a prepared text has it; the others' are in `#order`. */
  #orders: (Uint32Array | undefined)[] = []
  #order = new Uint32Array(1 << 12)
  #orderStarts: number[] = [0]

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
    this.#orders = []
    this.#orderStarts = [0]
    if (this.words.length > KEPT_WORDS) this.words = new Uint32Array(KEPT_WORDS)
    if (this.#order.length > KEPT_WORDS) this.#order = new Uint32Array(KEPT_WORDS)
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
   * @param order The place of each of its terms among its postings, in the order of the text.
   * @param kept Whether the array of the order stays as it is, so that no copy is needed.
   */
  endText(title: number, order: Uint32Array, kept = false): void {
    const from = this.#orderStarts.at(-1)!
    const end = kept ? from : from + order.length
    if (end > this.#order.length) this.#order = resized(this.#order, 2 * end)
    if (!kept) this.#order.set(order, from)
    this.starts.push(this.count)
    this.titles.push(title)
    this.#orders.push(kept ? order : undefined)
    this.#orderStarts.push(end)
  }

  /** The place of each term of a text among its postings, in the order of the text; valid until the next change. */
  orderOf(text: number): Uint32Array {
    const starts = this.#orderStarts
    return this.#orders[text] ?? this.#order.subarray(starts[text], starts[text + 1])
  }

  /** Appends one text's postings of others. */
  append(others: Postings, text: number): void {
    const from = others.starts[text]! * POSTING
    const to = others.starts[text + 1]! * POSTING
    const at = this.extend(to - from)
    this.words.set(others.words.subarray(from, to), at)
    this.endText(others.titles[text]!, others.orderOf(text), others.#orders[text] !== undefined)
  }

  /** All words, without the room to spare. */
  used(): Uint32Array {
    return this.words.subarray(0, this.#length)
  }
}

function resized(words: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(length)
  longer.set(words)
  return longer
}

/** The postings of a context without texts. */
export const noPostings = new Postings()
