import { furtherTokenizers } from '../text/further-tokenizers.ts'
import { POSTING, type Postings } from '../text/postings.ts'
import { STEM_PLACES } from '../text/stem-cache.ts'
import { hashTerm, postingHashes } from '../text/term-counter.ts'
import { isBasic, type TokenizerName, termOf } from '../text/tokenizer.ts'
import { wordModule } from './load.ts'
import { TextUnits } from './text-units.ts'
import { instantiate, type WasmExports } from './wasm-exports.ts'
import { basicEntry, UNMET } from './word-entries.ts'

const PAGE = 1 << 16
/** Where the entries of characters are: memory below belongs to the compiler. */
const FOLDS = PAGE
/** Where they end: four bytes for each of the first plane, and for each of 1,024 pairs. */
const FOLDS_END = FOLDS + 4 * (0x10000 + 1024)
/** A memory that a huge text has grown beyond this is not kept. */
const KEPT_BYTES = 16 * 2 ** 20

const decoder = new TextDecoder('utf-16le', { ignoreBOM: true })

/** What a tokenizer makes of characters and words. */
export interface WordRules {
  /** Whether texts are normalized before they are read. */
  normalizes: boolean
  /** Whether words are full of combining marks. */
  marks: boolean
  /** How many terms a word has; 0 if it is a term as it is. */
  terms: number
  entry: (code: number) => number
  /** Whether two characters side by side become others together, if texts are normalized. */
  composes: (first: number, second: number) => boolean
  /** The terms of a word as it is written. */
  termsOf: (word: string) => readonly string[]
}

/** Counts the terms of texts in WebAssembly. */
class WordCounter {
  readonly #memory = new WebAssembly.Memory({ initial: 2 })
  readonly #wasm: WasmExports
  readonly #rules: WordRules
  /** Bytes of a place in the table of terms: four words, with their terms and second terms. */
  readonly #place: number
  /** Where the text is: behind the tables of characters and terms. */
  readonly #start: number
  /** A letter is a word with two terms at most; of two characters one at most is such a word. */
  readonly #termsPerUnit: number
  /** The entries of characters beyond the first plane. */
  readonly #beyond = new Map<number, number>()
  /** Units of text that there is room for. */
  #room = 0
  #text!: TextUnits
  #integers!: Uint32Array

  constructor(module: WebAssembly.Module, tokenizer: TokenizerName) {
    this.#rules = isBasic(tokenizer)
      ? basicRules(tokenizer)
      : furtherTokenizers(tokenizer).wordRules(tokenizer)
    this.#wasm = instantiate(module, this.#memory, {
      characters: { meet: (code) => this.#meet(code), composes: this.#rules.composes },
      'word-terms': { stem: (word, length, to) => this.#stem(word, length, to) },
    })
    this.#place = [0, 64, 128][this.#rules.terms]!
    this.#start = FOLDS_END + STEM_PLACES * this.#place + 64
    this.#termsPerUnit = this.#rules.terms === 2 ? 1.5 : 1
    this.unitsFor(1 << 11)
    this.#integers.fill(UNMET, FOLDS / 4, FOLDS / 4 + 0x10000)
  }

  get bytes(): number {
    return this.#memory.buffer.byteLength
  }

  /** Appends a text's postings, or returns false if the text is too long or has characters that the kernel leaves to others. */
  append(postings: Postings, title: string, text: string): boolean {
    if (!this.#rules.normalizes) return this.#append(postings, title, text, true)
    return (
      this.#append(postings, title, text, false) ||
      this.#append(postings, title.normalize('NFKC'), text.normalize('NFKC'), true)
    )
  }

  #append(postings: Postings, title: string, text: string, normalized: boolean): boolean {
    // A space between them: the last word of the title ends there.
    const titleEnd = title === '' ? 0 : title.length + 1
    const length = titleEnd + text.length
    if (!this.unitsFor(length)) return false
    if (titleEnd > 0) this.#text.write(`${title} `)
    this.#text.write(text, titleEnd)
    return this.count(postings, length, titleEnd, normalized)
  }

  /** Appends the postings of the text in the memory. */
  count(postings: Postings, length: number, titleEnd: number, normalized: boolean): boolean {
    const share = this.#room * this.#termsPerUnit
    const tokens = this.#start + this.#room * 2 + 64
    const terms = tokens + share * 16 + 64
    const order = terms + share * 8 + 64
    const out = order + share * 4 + 64
    const size = this.#wasm.words(
      this.#start,
      length,
      titleEnd,
      normalized ? 1 : 0,
      this.#rules.marks ? 1 : 0,
      FOLDS,
      FOLDS_END,
      this.#place,
      tokens,
      terms,
      order,
      out,
    )
    if (size < 0) return false
    const integers = this.#integers
    const words = size * POSTING
    const at = postings.extend(words)
    postings.words.set(integers.subarray(out / 4, out / 4 + words), at)
    const count = integers[order / 4]!
    postings.endText(integers[order / 4 + 1]!, integers.subarray(terms / 4, terms / 4 + count))
    return true
  }

  /** The entry of a character that is met for the first time. */
  #meet(code: number): number {
    let entry = this.#beyond.get(code)
    if (entry !== undefined) return entry
    entry = this.#rules.entry(code)
    if (code > 0xffff) this.#beyond.set(code, entry)
    else this.#integers[FOLDS / 4 + code] = entry
    return entry
  }

  #stem(start: number, length: number, to: number): void {
    const from = (start - this.#start) / 2
    const word = decoder.decode(this.#text.units.subarray(from, from + length))
    this.#rules.termsOf(word).forEach((term, i) => {
      this.#integers.set(postingHashes(...hashTerm(term)), to / 4 + 8 * i)
    })
  }

  /** Makes room for the units of a text; undefined if there is no memory for it. */
  unitsFor(length: number): Uint16Array | undefined {
    if (length > this.#room) {
      const room = Math.ceil(length / 64) * 64
      const missing = this.#start + 512 + room * (2 + 40 * this.#termsPerUnit) - this.bytes
      try {
        if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE))
      } catch {
        return undefined
      }
      this.#room = room
      this.#text = new TextUnits(this.#memory.buffer, this.#start, room)
      this.#integers = new Uint32Array(this.#memory.buffer)
    }
    return this.#text.units
  }
}

function basicRules(tokenizer: TokenizerName): WordRules {
  return {
    normalizes: false,
    marks: false,
    terms: tokenizer === 'none' ? 0 : 1,
    entry: basicEntry,
    composes: () => false,
    termsOf: (word) => [termOf(word.toLowerCase(), tokenizer)],
  }
}

const counters = new Map<TokenizerName, WordCounter>()

/**
 * Appends a text's postings; not true if no WebAssembly runs here, or the text has characters that the
 * kernel leaves to others: letters beyond the first plane, and letters whose lower case depends on the word.
 */
export function appendWords(
  postings: Postings,
  title: string,
  text: string,
  tokenizer: TokenizerName,
): boolean | undefined {
  return counterOf(tokenizer)?.append(postings, title, text)
}

/** Appends the postings of a text in UTF-16 with its title in front of it, as `appendWords` does. */
export function appendUnits(
  postings: Postings,
  units: Uint16Array,
  titleEnd: number,
  tokenizer: TokenizerName,
): boolean {
  const counter = counterOf(tokenizer)
  const room = counter?.unitsFor(units.length)
  if (!counter || !room) return false
  room.set(units)
  return counter.count(postings, units.length, titleEnd, false)
}

function counterOf(tokenizer: TokenizerName): WordCounter | undefined {
  const module = wordModule()
  if (!module) return undefined
  let counter = counters.get(tokenizer)
  if (!counter || counter.bytes > KEPT_BYTES) {
    counter = new WordCounter(module, tokenizer)
    counters.set(tokenizer, counter)
  }
  return counter
}
