import { asciiWord } from '../text/characters.ts'
import { POSTING, type Postings } from '../text/postings.ts'
import { hashWord } from '../text/prepare-text.ts'
import { STEM_BYTES } from '../text/stem-cache.ts'
import type { TokenizerName } from '../text/tokenizer.ts'
import { kernel, moduleOf } from './load.ts'
import { instantiate, type WasmExports } from './wasm-exports.ts'

const PAGE = 1 << 16
/** Memory below this address belongs to the compiler. */
const BASE = PAGE
/** A memory that a huge text has grown beyond this is not kept. */
const KEPT_BYTES = 16 * 2 ** 20

const encoder = new TextEncoder()

/** Counts the terms of ASCII texts in WebAssembly. */
class WordCounter {
  readonly #memory = new WebAssembly.Memory({ initial: 2 })
  readonly #wasm: WasmExports
  readonly #tokenizer: TokenizerName
  /** The address of the table of terms; 0 if words are terms unchanged. */
  readonly #stems: number
  /** The address of the text: behind the tables of lower case and of terms. */
  readonly #start: number
  /** Characters that there is room for. */
  #room = 0
  #text!: Uint8Array
  #integers!: Uint32Array

  constructor(module: WebAssembly.Module, tokenizer: TokenizerName) {
    this.#tokenizer = tokenizer
    this.#wasm = instantiate(module, this.#memory, {
      words: { stem: (word, length, to) => this.#stem(word, length, to) },
    })
    this.#stems = tokenizer === 'none' ? 0 : BASE + 128
    this.#start = BASE + 128 + (tokenizer === 'none' ? 0 : STEM_BYTES)
    this.#reserve(1 << 11)
    new Uint8Array(this.#memory.buffer).set(asciiWord, BASE)
  }

  get bytes(): number {
    return this.#memory.buffer.byteLength
  }

  /** Appends a text's postings, or returns false if it is not plain ASCII, or too long. */
  append(postings: Postings, title: string, text: string): boolean {
    // A space between them: the last word of the title ends there.
    const whole = title === '' ? text : `${title} ${text}`
    const { length } = whole
    if (length > this.#room && !this.#reserve(length)) return false
    const { read, written } = encoder.encodeInto(whole, this.#text)
    if (written !== read || read !== length) return false
    const hashes = this.#start + this.#room + 64
    const ends = hashes + this.#room * 8 + 64
    const table = ends + this.#room * 4 + 64
    const out = table + this.#room * 8 + 64
    const [start, lower, stems] = [this.#start, BASE, this.#stems]
    const words =
      this.#wasm.words(start, length, title.length, lower, stems, hashes, ends, table, out) *
      POSTING
    const integers = this.#integers
    const at = postings.extend(words)
    postings.words.set(integers.subarray(out / 4, out / 4 + words), at)
    const [terms, titleTerms] = [integers[ends / 4]!, integers[ends / 4 + 1]!]
    postings.endText(titleTerms, integers.subarray(hashes / 4, hashes / 4 + terms))
    return true
  }

  #stem(start: number, length: number, to: number): void {
    const from = start - this.#start
    let word = ''
    for (let at = from; at < from + length; at++) {
      word += String.fromCharCode(asciiWord[this.#text[at]!]!)
    }
    const [a, b] = hashWord(word, this.#tokenizer)
    this.#integers[to / 4] = a
    this.#integers[to / 4 + 1] = b
  }

  /** Makes room for a text; false if there is no memory for it. */
  #reserve(length: number): boolean {
    const room = Math.ceil(length / 64) * 64
    const missing = this.#start + 512 + room * 28 - this.#memory.buffer.byteLength
    try {
      if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE))
    } catch {
      return false
    }
    this.#room = room
    this.#text = new Uint8Array(this.#memory.buffer, this.#start, this.#room)
    this.#integers = new Uint32Array(this.#memory.buffer)
    return true
  }
}

const counters = new Map<TokenizerName, WordCounter>()

/** Appends an ASCII text's postings; false if the text is not ASCII or no WebAssembly runs here. */
export function appendAscii(
  postings: Postings,
  title: string,
  text: string,
  tokenizer: TokenizerName,
): boolean {
  const module = kernel() === 'typescript' ? undefined : moduleOf(kernel())
  if (!module) return false
  let counter = counters.get(tokenizer)
  if (!counter || counter.bytes > KEPT_BYTES) {
    counter = new WordCounter(module, tokenizer)
    counters.set(tokenizer, counter)
  }
  return counter.append(postings, title, text)
}
