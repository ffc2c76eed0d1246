import { readAllSync, TemporaryFile } from '@kith/base'
import type { PreparedText } from '@kith/core'
import { OpenState } from '@kith/core/internal'
import { IdIndex, type SharedIndex } from '../io/id-index.ts'
import { IdList } from '../io/id-list.ts'
import { readTexts, type TextEntry } from './texts.ts'

/** Bytes that are written at a time. */
const BLOCK = 1 << 20

/** The texts of a `TextStore` for other threads of this process, as long as it is open. */
export interface SharedTextStore {
  index: SharedIndex
  ends: Float64Array
  descriptor: number
  file: string
}

/** Reads texts that another thread has opened. */
export class TextReader {
  readonly #shared: SharedTextStore
  readonly #index: IdIndex
  readonly #wanted = new IdList()

  constructor(shared: SharedTextStore) {
    this.#shared = shared
    this.#index = IdIndex.over(shared.index)
  }

  has(id: string): boolean {
    return this.#find(id) >= 0
  }

  get(id: string): TextEntry | undefined {
    const found = this.#find(id)
    if (found < 0) return undefined
    const { ends, descriptor, file } = this.#shared
    const from = found === 0 ? 0 : ends[found - 1]!
    const bytes = Buffer.allocUnsafe(ends[found]! - from)
    readAllSync(descriptor, bytes, from, file)
    return entryOf(id, bytes)
  }

  /** Nothing is to be closed: the store that shares its texts does that. */
  async close(): Promise<void> {}

  #find(id: string): number {
    this.#wanted.clear()
    this.#wanted.pushText(id)
    return this.#index.find(this.#wanted, 0)
  }
}

/** An entry from its bytes in the copy. */
function entryOf(id: string, bytes: Buffer): TextEntry {
  const [text, title] = JSON.parse(bytes.toString('utf8')) as [string, string?]
  return title === undefined ? { id, text } : { id, title, text }
}

/**
 * Texts by id, for files larger than memory: they are copied once, unpacked, into a temporary
 * file and read from there by position; only ids and positions stay in memory.
 */
export class TextStore {
  readonly #ids: IdList
  readonly #index: IdIndex
  readonly #ends: number[] = []
  readonly #copy: TemporaryFile
  readonly #wanted = new IdList()
  readonly #state: OpenState

  private constructor(file: string, ids: IdList, copy: TemporaryFile) {
    this.#state = new OpenState(`the texts of ${file}`)
    this.#ids = ids
    this.#index = new IdIndex(ids)
    this.#copy = copy
  }

  /** Reads a corpus or queries; of two entries with the same id the first counts. */
  static async open(file: string): Promise<TextStore> {
    const copy = new TemporaryFile('texts')
    copy.hide()
    const store = new TextStore(file, new IdList(), copy)
    try {
      await store.#fill(file)
    } catch (error) {
      await store.close()
      throw error
    }
    return store
  }

  async #fill(file: string): Promise<void> {
    let block: Buffer[] = []
    let end = 0
    const flush = (): void => {
      this.#copy.append(Buffer.concat(block))
      block = []
    }
    for await (const { id, title, text } of readTexts(file)) {
      const bytes = Buffer.from(JSON.stringify(title === undefined ? [text] : [text, title]))
      block.push(bytes)
      end += bytes.length
      this.#ids.pushText(id)
      this.#index.add(this.#ids.length - 1)
      this.#ends.push(end)
      if (end - this.#copy.size > BLOCK) flush()
    }
    flush()
  }

  /** Whether there is a text with an id. */
  has(id: string): boolean {
    return this.#find(id) >= 0
  }

  /** How many texts there are. */
  get size(): number {
    return this.#ids.length
  }

  /** The text with an id, undefined if there is none. */
  get(id: string): TextEntry | undefined {
    this.#state.check()
    const found = this.#find(id)
    return found < 0 ? undefined : this.#read(found, id)
  }

  /** All texts in the order of the file, including texts with a repeated id. */
  *[Symbol.iterator](): Generator<TextEntry> {
    for (let i = 0; i < this.#ids.length; i++) {
      this.#state.check()
      yield this.#read(i, this.#ids.get(i))
    }
  }

  #read(found: number, id: string): TextEntry {
    const from = found === 0 ? 0 : this.#ends[found - 1]!
    const bytes = Buffer.allocUnsafe(this.#ends[found]! - from)
    this.#copy.read(bytes, from)
    return entryOf(id, bytes)
  }

  #find(id: string): number {
    this.#wanted.clear()
    this.#wanted.pushText(id)
    return this.#index.find(this.#wanted, 0)
  }

  /** The texts for other threads, which read them with a `TextReader` while this is open. */
  share(): SharedTextStore {
    const ends = new Float64Array(new SharedArrayBuffer(this.#ends.length * 8))
    ends.set(this.#ends)
    const { descriptor, file } = this.#copy
    return { index: this.#index.share(), ends, descriptor, file }
  }

  /** Closes and removes the temporary file; may be called twice. */
  async close(): Promise<void> {
    if (this.#state.end()) await this.#copy.close()
  }

  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** Prepared texts on shared memory, one after the other. */
export interface SharedTexts {
  /** The postings of each text, and behind them the positions of its terms. */
  words: Uint32Array
  /** The start of each text, and last the end of the last text. */
  starts: Float64Array
  /** The start of the positions of each text's terms. */
  positions: Float64Array
  /** How many of each text's postings are the title's. */
  titles: Uint32Array
  /** How the terms of all of them were made. */
  tokenizer: PreparedText['tokenizer']
}

/** Puts texts on shared memory. */
export function shareTexts(texts: readonly PreparedText[]): SharedTexts {
  const starts = new Float64Array(new SharedArrayBuffer((texts.length + 1) * 8))
  const positions = new Float64Array(new SharedArrayBuffer(texts.length * 8))
  const titles = new Uint32Array(new SharedArrayBuffer(texts.length * 4))
  texts.forEach(({ postings, positions: own, titleTerms = 0 }, i) => {
    positions[i] = starts[i]! + postings.length
    starts[i + 1] = positions[i]! + (own?.length ?? 0)
    titles[i] = titleTerms
  })
  const words = new Uint32Array(new SharedArrayBuffer(starts[texts.length]! * 4))
  texts.forEach(({ postings, positions: own }, i) => {
    words.set(postings, starts[i]!)
    if (own) words.set(own, positions[i]!)
  })
  return { words, starts, positions, titles, tokenizer: texts[0]?.tokenizer ?? 'english' }
}

/** One of the shared texts. */
export function textAt(shared: SharedTexts, number: number): PreparedText {
  const { words, starts, positions, titles, tokenizer } = shared
  return {
    postings: words.subarray(starts[number]!, positions[number]!),
    positions: words.subarray(positions[number]!, starts[number + 1]!),
    titleTerms: titles[number] || undefined,
    tokenizer,
  }
}
