import { readAllSync, TemporaryFile } from '@kith/base'
import type { PreparedText } from '@kith/core'
import { OpenState } from '@kith/core/internal'
import { IdIndex, type SharedIndex } from '../io/id-index.ts'
import { IdList } from '../io/id-list.ts'
import { readTexts, type TextEntry } from './texts.ts'

/** Bytes per write. */
const BLOCK = 1 << 20

/** The texts of a `TextStore` for other threads of this process, valid while the store is open. */
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

  /** Does nothing: the store that shares its texts closes the file. */
  async close(): Promise<void> {}

  #find(id: string): number {
    this.#wanted.clear()
    this.#wanted.pushText(id)
    return this.#index.find(this.#wanted, 0)
  }
}

/** Parses an entry from its bytes in the copy. */
function entryOf(id: string, bytes: Buffer): TextEntry {
  const [text, title] = JSON.parse(bytes.toString('utf8')) as [string, string?]
  return title === undefined ? { id, text } : { id, title, text }
}

/**
 * Texts by id, for files larger than memory: the texts are copied once, decompressed, to a
 * temporary file and read from there by position. Only ids and positions stay in memory.
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

  /** Reads a corpus or queries; if two entries have the same id, the first counts. */
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

  /** Returns whether there is a text with an id. */
  has(id: string): boolean {
    return this.#find(id) >= 0
  }

  /** The number of texts. */
  get size(): number {
    return this.#ids.length
  }

  /** Returns the text with an id; undefined if there is none. */
  get(id: string): TextEntry | undefined {
    this.#state.check()
    const found = this.#find(id)
    return found < 0 ? undefined : this.#read(found, id)
  }

  /** Yields all texts in the order of the file, including texts with a repeated id. */
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

  /**
   * Returns the texts for other threads, which read them with a `TextReader` while this store is
   * open.
   */
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

  /** Does the same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** Prepared texts in shared memory, one after the other. */
export interface SharedTexts {
  /** The postings of each text, followed by the positions of its terms. */
  words: Uint32Array
  /** The start of each text, and at last the end of the last text. */
  starts: Float64Array
  /** The start of the positions of each text's terms. */
  positions: Float64Array
  /** The number of postings of each text's title. */
  titles: Uint32Array
  /** The tokenizer of all texts. */
  tokenizer: PreparedText['tokenizer']
}

/** Copies texts to shared memory. */
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

/** Returns one of the shared texts. */
export function textAt(shared: SharedTexts, number: number): PreparedText {
  const { words, starts, positions, titles, tokenizer } = shared
  return {
    postings: words.subarray(starts[number]!, positions[number]!),
    positions: words.subarray(positions[number]!, starts[number + 1]!),
    titleTerms: titles[number] || undefined,
    tokenizer,
  }
}
