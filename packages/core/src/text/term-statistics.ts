import { KithError } from '../error.ts'
import { isObject } from '../matrix.ts'
import { show } from '../settings/show.ts'
import { detectTokenizer } from './language.ts'
import { POSTING, Postings } from './postings.ts'
import { appendText, notText, readText, type Text } from './prepare-text.ts'
import {
  checkTokenizer,
  nameOfTokenizer,
  type Tokenizer,
  type TokenizerName,
  type TokenizerOption,
} from './tokenizer.ts'

/**
 * How often terms occur in a corpus. Plain data: it can be stored, and posted to a worker.
 *
 * A term is known by its 53-bit hash only: among a million terms, two share a hash with a
 * probability of one in ten thousand.
 */
export interface TermStatistics {
  /** How the terms were made: they serve texts with the same terms only. */
  readonly tokenizer: TokenizerName | 'function'
  /** How many documents the corpus has. */
  readonly documents: number
  /** The terms of all documents together, each as often as it occurs. */
  readonly length: number
  /** The hashes of all terms, ascending. */
  readonly hashes: Float64Array
  /** How many documents have the term with the hash at the same place. */
  readonly frequencies: Uint32Array
}

/** Texts that `auto` looks at. */
const DETECTED = 1000

/**
 * Counts the terms of a corpus in one pass over its texts.
 *
 * ```ts
 * const statistics = termStatistics(texts, { tokenizer: 'english' })
 * ```
 */
export function termStatistics(texts: Iterable<Text>, options?: TokenizerOption): TermStatistics {
  const builder = new TermStatisticsBuilder(options)
  if (typeof texts === 'string' || typeof Object(texts)[Symbol.iterator] !== 'function') {
    throw new KithError(
      'BAD_INPUT',
      `texts must be an array or another iterable, got ${show(texts)}`,
    )
  }
  for (const text of texts) builder.add(text)
  return builder.finish()
}

/**
 * Counts the terms of texts that come one at a time.
 *
 * ```ts
 * const builder = new TermStatisticsBuilder()
 * for await (const text of corpus) builder.add(text)
 * const statistics = builder.finish()
 * ```
 */
export class TermStatisticsBuilder {
  #tokenizer: Tokenizer
  /** The first texts, while the tokenizer that fits them is not known. */
  #waiting: Text[] = []
  readonly #postings = new Postings()
  #documents = 0
  #length = 0
  /** Open addressing by the lower half of the hash; 0 is an empty slot. */
  #hashes = new Float64Array(1 << 12)
  #frequencies = new Uint32Array(1 << 12)
  #size = 0

  constructor(options?: TokenizerOption) {
    const { tokenizer = 'english' } = isObject(options) ? options : {}
    checkTokenizer('tokenizer', tokenizer)
    this.#tokenizer = tokenizer
  }

  /** How many documents were added. */
  get documents(): number {
    return this.#documents + this.#waiting.length
  }

  /** Counts a document's terms. */
  add(text: Text): void {
    if (this.#tokenizer === 'auto') this.#waiting.push(text)
    else this.#add(text)
    if (this.#waiting.length === DETECTED) this.#detect()
  }

  #add(text: Text): void {
    const read = readText(text, this.#tokenizer, () => `document ${this.#documents}`)
    if (read === undefined) throw notText(text)
    this.#postings.clear()
    appendText(this.#postings, read, this.#tokenizer)
    this.addPostings(this.#postings)
  }

  /** @internal Counts the terms of a document whose text has these postings. */
  addPostings(postings: Postings): void {
    const words = postings.used()
    for (let at = 0; at < words.length; at += POSTING) {
      this.#length += words[at + 2]!
      this.#count(words[at]!, words[at + 1]! * 2 ** 32 + words[at]!)
    }
    this.#documents++
  }

  /** The statistics of what was added so far. */
  finish(): TermStatistics {
    if (this.#tokenizer === 'auto') this.#detect()
    const hashes = this.#hashes.filter((hash) => hash > 0).sort()
    return {
      tokenizer: nameOfTokenizer(this.#tokenizer),
      documents: this.#documents,
      length: this.#length,
      hashes,
      frequencies: Uint32Array.from(hashes, (hash) => this.#frequencies[this.#slotOf(hash)]!),
    }
  }

  /** Finds the tokenizer that fits the first texts, and counts their terms. */
  #detect(): void {
    const texts = this.#waiting
    this.#tokenizer = detectTokenizer(texts.map(wordsOf))
    this.#waiting = []
    for (const text of texts) this.#add(text)
  }

  #count(lower: number, hash: number): void {
    const hashes = this.#hashes
    const mask = hashes.length - 1
    let slot = lower & mask
    while (hashes[slot] !== hash) {
      if (hashes[slot] === 0) {
        if (hash === 0) return
        hashes[slot] = hash
        this.#frequencies[slot] = 1
        this.#size++
        if (this.#size * 2 > hashes.length) this.#grow()
        return
      }
      slot = (slot + 1) & mask
    }
    this.#frequencies[slot]!++
  }

  #slotOf(hash: number): number {
    const mask = this.#hashes.length - 1
    let slot = (hash % 2 ** 32) & mask
    while (this.#hashes[slot] !== hash && this.#hashes[slot] !== 0) slot = (slot + 1) & mask
    return slot
  }

  #grow(): void {
    const { length } = this.#hashes
    const before = { hashes: this.#hashes, frequencies: this.#frequencies }
    this.#hashes = new Float64Array(length * 2)
    this.#frequencies = new Uint32Array(length * 2)
    for (let i = 0; i < length; i++) {
      const hash = before.hashes[i]!
      if (hash === 0) continue
      const slot = this.#slotOf(hash)
      this.#hashes[slot] = hash
      this.#frequencies[slot] = before.frequencies[i]!
    }
  }
}

/** The words of a text that is not prepared, for `auto`. */
function wordsOf(text: Text): string {
  if (typeof text === 'string') return text
  if (!isObject(text) || 'postings' in text || typeof text.text !== 'string') throw notText(text)
  return text.text
}

/**
 * Merges the term statistics of several corpora that share no document.
 *
 * ```ts
 * const all = mergeTermStatistics([termStatistics(texts), statistics])
 * ```
 */
export function mergeTermStatistics(parts: readonly TermStatistics[]): TermStatistics {
  if (!Array.isArray(parts) || parts.length === 0) {
    throw new KithError('BAD_INPUT', 'no term statistics to merge; pass an array with at least one')
  }
  const [first, ...others] = parts as [TermStatistics, ...TermStatistics[]]
  const { tokenizer } = checkStatistics(first)
  if (others.length === 0) return first
  for (const part of others) checkSame(tokenizer, checkStatistics(part).tokenizer)
  return others.reduce(mergeTwo, first)
}

/** Merges the hashes of two statistics, which are sorted. */
function mergeTwo(a: TermStatistics, b: TermStatistics): TermStatistics {
  const most = a.hashes.length + b.hashes.length
  const hashes = new Float64Array(most)
  const frequencies = new Uint32Array(most)
  let size = 0
  for (let i = 0, j = 0; i < a.hashes.length || j < b.hashes.length; size++) {
    const hash = Math.min(a.hashes[i] ?? Infinity, b.hashes[j] ?? Infinity)
    hashes[size] = hash
    if (a.hashes[i] === hash) frequencies[size]! += a.frequencies[i++]!
    if (b.hashes[j] === hash) frequencies[size]! += b.frequencies[j++]!
  }
  return {
    tokenizer: a.tokenizer,
    documents: a.documents + b.documents,
    length: a.length + b.length,
    hashes: hashes.slice(0, size),
    frequencies: frequencies.slice(0, size),
  }
}

/** Throws unless statistics of two tokenizers count the same terms. */
function checkSame(a: TermStatistics['tokenizer'], b: TermStatistics['tokenizer']): void {
  if (a === b && a !== 'function') return
  throw new KithError(
    'BAD_INPUT',
    `term statistics of tokenizers '${a}' and '${b}' cannot be merged; build both with one tokenizer`,
  )
}

/** How many documents have a term; 0 if none has. */
export function documentFrequency({ hashes, frequencies }: TermStatistics, hash: number): number {
  let from = 0
  let to = hashes.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (hashes[middle]! < hash) from = middle + 1
    else to = middle
  }
  return hashes[from] === hash ? frequencies[from]! : 0
}

/** Throws unless a value has the form of statistics. */
export function checkStatistics(value: unknown): TermStatistics {
  const { tokenizer, documents, length, hashes, frequencies } = (
    isObject(value) ? value : {}
  ) as TermStatistics
  const fits =
    typeof tokenizer === 'string' &&
    Number.isSafeInteger(documents) &&
    documents >= 0 &&
    Number.isSafeInteger(length) &&
    length >= 0 &&
    hashes instanceof Float64Array &&
    frequencies instanceof Uint32Array &&
    hashes.length === frequencies.length
  if (fits) return value as TermStatistics
  throw new KithError(
    'BAD_INPUT',
    `statistics must be the result of termStatistics(), got ${show(value)}`,
  )
}
