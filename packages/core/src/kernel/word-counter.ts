import { asciiWord } from '../text/characters.ts'
import { POSTING, type Postings } from '../text/postings.ts'
import { kernel, moduleOf } from './load.ts'
import { instantiate, type WasmExports } from './wasm-exports.ts'

const PAGE = 1 << 16
/** Memory below this address belongs to the compiler. */
const BASE = PAGE
/** A memory that a huge text has grown beyond this is not kept. */
const KEPT_BYTES = 16 * 2 ** 20

const encoder = new TextEncoder()

/** Counts the words of ASCII texts in WebAssembly. */
class WordCounter {
  readonly #memory = new WebAssembly.Memory({ initial: 2 })
  readonly #wasm: WasmExports
  /** Characters that there is room for. */
  #room = 0
  #text!: Uint8Array
  #integers!: Uint32Array

  constructor(module: WebAssembly.Module) {
    this.#wasm = instantiate(module, this.#memory)
    this.#reserve(1 << 11)
    new Uint8Array(this.#memory.buffer).set(asciiWord, BASE)
  }

  get bytes(): number {
    return this.#memory.buffer.byteLength
  }

  /** Appends a text's postings, or returns false if it is not plain ASCII, or too long. */
  append(postings: Postings, text: string): boolean {
    const { length } = text
    if (length > this.#room && !this.#reserve(length)) return false
    const { read, written } = encoder.encodeInto(text, this.#text)
    if (written !== read || read !== length) return false
    const bytes = BASE + 128
    const hashes = bytes + this.#room + 64
    const table = hashes + this.#room * 8 + 64
    const out = table + this.#room * 8 + 64
    const words = this.#wasm.words(bytes, length, BASE, hashes, table, out) * POSTING
    const at = postings.extend(words)
    postings.words.set(this.#integers.subarray(out / 4, out / 4 + words), at)
    postings.endText()
    return true
  }

  /** Makes room for a text; false if there is no memory for it. */
  #reserve(length: number): boolean {
    const room = Math.ceil(length / 64) * 64
    const missing = BASE + 512 + room * 24 - this.#memory.buffer.byteLength
    try {
      if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE))
    } catch {
      return false
    }
    this.#room = room
    this.#text = new Uint8Array(this.#memory.buffer, BASE + 128, this.#room)
    this.#integers = new Uint32Array(this.#memory.buffer)
    return true
  }
}

let counter: WordCounter | undefined

/** Appends an ASCII text's postings; false if the text is not ASCII or no WebAssembly runs here. */
export function appendAscii(postings: Postings, text: string): boolean {
  const module = kernel() === 'typescript' ? undefined : moduleOf(kernel())
  if (!module) return false
  if (!counter || counter.bytes > KEPT_BYTES) counter = new WordCounter(module)
  return counter.append(postings, text)
}
