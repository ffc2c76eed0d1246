import { BREAK, DIGIT, FoldTable, LETTER } from '../text/fold.ts'
import { LanguageRules } from '../text/language.ts'
import { POSTING, type Postings } from '../text/postings.ts'
import { STEM_PLACES } from '../text/stem-cache.ts'
import { hashTerm } from '../text/term-counter.ts'
import { LONGEST_WORD } from '../text/tokenizer.ts'
import { composePair, normalizationBits } from '../text/unnormalized.ts'
import { kernel, moduleOf } from './load.ts'
import { instantiate, type WasmExports } from './wasm-exports.ts'

const PAGE = 1 << 16
/** Memory below this address belongs to the compiler. */
const BASE = PAGE
/** A memory that a huge text has grown beyond this is not kept. */
const KEPT_BYTES = 16 * 2 ** 20
/** The address of the entries of characters: behind the lower case of ASCII. */
const FOLDS = BASE + 256
/** The end of the entries: four bytes for each character of the first plane, none for others. */
const FOLDS_END = FOLDS + 4 * 0x10000 + 64
/** Bytes of memory for a byte of text. */
const SHARE = 1 + 8 + 8 + 8 + 4 + 16 + 12

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Counts the terms of texts in WebAssembly under a tokenizer that languages name. */
class LanguageCounter {
  readonly #memory = new WebAssembly.Memory({ initial: 2 })
  readonly #wasm: WasmExports
  readonly #rules: LanguageRules
  readonly #table: FoldTable
  /** Bytes for a word in the table of terms: its hashes and those of its terms. */
  readonly #slot: number
  /** The address of the text: behind the tables of characters and terms. */
  readonly #start: number
  /** Bytes of text that there is room for. */
  #room = 0
  #bytes!: Uint8Array
  #integers!: Int32Array

  constructor(module: WebAssembly.Module, tokenizer: string) {
    this.#rules = new LanguageRules(tokenizer)
    this.#table = new FoldTable(this.#rules.folding)
    this.#wasm = instantiate(module, this.#memory, {
      'language-words': {
        meet: (code) => this.#meet(code),
        composes: composePair,
        stem: (word, length, to) => this.#stem(word, length, to),
      },
    })
    this.#slot = this.#rules.prefixes ? 24 : 16
    this.#start = FOLDS_END + STEM_PLACES * 4 * this.#slot + 64
    this.#reserve(1 << 12)
    const lower = new Uint16Array(this.#memory.buffer, BASE, 128)
    for (let code = 0; code < 128; code++) {
      const kind = this.#meet(code) >> 16
      if (kind === LETTER || kind === DIGIT) lower[code] = this.#table.fold(code)
    }
  }

  get size(): number {
    return this.#memory.buffer.byteLength
  }

  /** Appends a text's postings, or returns false if the text is too long or has characters beyond the first plane. */
  append(postings: Postings, title: string, text: string): boolean {
    return (
      this.#append(postings, title, text, false) ||
      this.#append(postings, title.normalize('NFKC'), text.normalize('NFKC'), true)
    )
  }

  #append(postings: Postings, title: string, text: string, normalized: boolean): boolean {
    // A character beyond the first plane takes two units: three bytes a unit are enough.
    const most = (title.length + text.length) * 3 + 1
    if (most > this.#room && !this.#reserve(most)) return false
    let titleEnd = 0
    if (title !== '') {
      titleEnd = encoder.encodeInto(title, this.#bytes).written
      // The last word of the title ends here.
      this.#bytes[titleEnd++] = 32
    }
    const { written } = encoder.encodeInto(
      text,
      titleEnd === 0 ? this.#bytes : this.#bytes.subarray(titleEnd),
    )
    const room = this.#room
    const hashes = this.#start + room + 64
    const spans = hashes + room * 8 + 64
    const terms = spans + room * 8 + 64
    const order = terms + room * 8 + 64
    const counts = order + room * 4 + 64
    const out = counts + room * 16 + 64
    const size = this.#wasm.languageWords(
      this.#start,
      titleEnd + written,
      titleEnd,
      normalized ? 1 : 0,
      BASE,
      FOLDS,
      FOLDS_END,
      this.#slot,
      hashes,
      spans,
      terms,
      order,
      counts,
      out,
    )
    if (size < 0) return false
    const integers = this.#integers
    const words = size * POSTING
    const at = postings.extend(words)
    postings.words.set(integers.subarray(out / 4, out / 4 + words), at)
    const count = integers[order / 4]!
    const positions = new Uint32Array(integers.buffer, terms, count)
    postings.endText(integers[order / 4 + 1]!, positions)
    return true
  }

  /** Writes the entry of a character that is met for the first time. */
  #meet(code: number): number {
    const isBreak = (part: number): boolean => this.#table.kind(part) === BREAK
    const entry = this.#table.fill(code) | normalizationBits(code, isBreak)
    this.#integers[FOLDS / 4 + code] = entry
    return entry
  }

  #stem(start: number, length: number, to: number): void {
    const from = start - this.#start
    const word = decoder.decode(this.#bytes.subarray(from, from + length))
    const folded = this.#table.foldWord(word)
    // A word that is too long to be one is a term unchanged.
    const [term, prefix] = folded.length > LONGEST_WORD ? [folded, ''] : this.#rules.terms(folded)
    this.#integers.set(hashTerm(term), to / 4)
    if (this.#rules.prefixes) this.#integers.set(hashTerm(prefix), to / 4 + 2)
  }

  /** Makes room for a text; false if there is no memory for it. */
  #reserve(length: number): boolean {
    const room = Math.ceil(length / 64) * 64
    const missing = this.#start + 512 + room * SHARE - this.size
    try {
      if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE))
    } catch {
      return false
    }
    this.#room = room
    this.#bytes = new Uint8Array(this.#memory.buffer, this.#start, room)
    this.#integers = new Int32Array(this.#memory.buffer)
    return true
  }
}

const counters = new Map<string, LanguageCounter>()

/**
 * Appends a text's postings under a tokenizer that languages name; false if the text has characters
 * beyond the first plane, or no WebAssembly runs here.
 */
export function appendLanguage(
  postings: Postings,
  title: string,
  text: string,
  tokenizer: string,
): boolean {
  const module = kernel() === 'typescript' ? undefined : moduleOf(kernel())
  if (!module) return false
  let counter = counters.get(tokenizer)
  if (!counter || counter.size > KEPT_BYTES) {
    counter = new LanguageCounter(module, tokenizer)
    counters.set(tokenizer, counter)
  }
  return counter.append(postings, title, text)
}
