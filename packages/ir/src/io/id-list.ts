import { KithError } from '@kith/core'

/** The character code of the digit 0. */
const ZERO = 0x30

/** Ids in memory that worker threads can share. */
export interface SharedIds {
  length: number
  bytes: Uint8Array
  starts: Uint32Array
}

/**
 * A list of ids as UTF-8 bytes in one buffer. Seven million ids of a run take 90 MB here and ten
 * times that as strings. Ids are compared as bytes, as in trec_eval.
 */
export class IdList {
  length = 0
  #bytes: Buffer = Buffer.alloc(1 << 10)
  /** The start of each id, and at last the end of the bytes. */
  #starts: Uint32Array = new Uint32Array(1 << 8)

  /** Creates a read-only list over ids that another thread shares. */
  static over({ length, bytes, starts }: SharedIds): IdList {
    const list = new IdList()
    list.length = length
    list.#bytes = Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length)
    list.#starts = starts
    return list
  }

  /** Copies some ids of this list to a separate list. */
  select(indices: Uint32Array): IdList {
    const list = new IdList()
    for (const index of indices) {
      list.push(this.#bytes, this.#starts[index]!, this.#starts[index + 1]!)
    }
    return list
  }

  /** Copies the list to memory that worker threads can share. */
  share(): SharedIds {
    const { length } = this
    const size = this.#starts[length]!
    const bytes = new Uint8Array(new SharedArrayBuffer(size))
    bytes.set(this.#bytes.subarray(0, size))
    const starts = new Uint32Array(new SharedArrayBuffer((length + 1) * 4))
    starts.set(this.#starts.subarray(0, length + 1))
    return { length, bytes, starts }
  }

  /** Appends an id given as a range of bytes. */
  push(bytes: Uint8Array, from: number, to: number): void {
    let end = this.#room(to - from)
    const target = this.#bytes
    for (let i = from; i < to; i++) target[end++] = bytes[i]!
    this.#starts[++this.length] = end
  }

  /**
   * Appends the ids of a list from index `from` up to `to`.
   *
   * @param starts Where each id starts in the bytes, and at last the end of the bytes.
   */
  pushAll(bytes: Uint8Array, starts: Uint32Array, from: number, to: number): void {
    const first = starts[from]!
    const last = starts[to]!
    const end = this.#room(last - first, to - from)
    this.#bytes.set(bytes.subarray(first, last), end)
    const own = this.#starts
    let { length } = this
    for (let i = from + 1; i <= to; i++) own[++length] = starts[i]! - first + end
    this.length = length
  }

  /** Appends an id given as a string. */
  pushText(id: string): void {
    const end = this.#room(id.length * 3)
    this.#starts[++this.length] = end + this.#bytes.write(id, end)
  }

  /** Returns the id at an index as a string. */
  get(index: number): string {
    return this.#bytes.toString('utf8', this.#starts[index]!, this.#starts[index + 1]!)
  }

  /**
   * Returns the whole number that an id represents, if the id is equal to its `String`; -1
   * otherwise.
   */
  wholeNumber(index: number): number {
    const bytes = this.#bytes
    const from = this.#starts[index]!
    const to = this.#starts[index + 1]!
    if (from === to || to - from > 15 || (bytes[from] === ZERO && to - from > 1)) return -1
    let value = 0
    for (let i = from; i < to; i++) {
      const digit = bytes[i]! - ZERO
      if (digit < 0 || digit > 9) return -1
      value = value * 10 + digit
    }
    return value
  }

  /**
   * Returns the bytes of the ids from index `from` up to `to`, and where each id starts and the last
   * one ends in the bytes of the list.
   */
  range(from: number, to: number): { bytes: Uint8Array; starts: Uint32Array } {
    const starts = this.#starts.subarray(from, to + 1)
    return { bytes: this.#bytes.subarray(this.#starts[from]!, this.#starts[to]!), starts }
  }

  /** Removes all ids but keeps the memory. */
  clear(): void {
    this.length = 0
  }

  /** Compares two ids by their bytes: returns a negative number, zero, or a positive number. */
  compare(a: number, b: number): number {
    const starts = this.#starts
    return this.#bytes.compare(this.#bytes, starts[b]!, starts[b + 1]!, starts[a]!, starts[a + 1]!)
  }

  /** Returns whether an id equals an id of another list. */
  equals(index: number, other: IdList, otherIndex: number): boolean {
    const from = this.#starts[index]!
    const length = this.#starts[index + 1]! - from
    const otherFrom = other.#starts[otherIndex]!
    if (other.#starts[otherIndex + 1]! - otherFrom !== length) return false
    const a = this.#bytes
    const b = other.#bytes
    for (let i = 0; i < length; i++) if (a[from + i] !== b[otherFrom + i]) return false
    return true
  }

  /** Returns a 32-bit hash of an id's bytes (FNV-1a with a final mix). */
  hash(index: number): number {
    const bytes = this.#bytes
    const to = this.#starts[index + 1]!
    let hash = 0x811c9dc5
    for (let i = this.#starts[index]!; i < to; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
    return hash ^ (hash >>> 15)
  }

  /** Reserves memory for more ids; returns where their bytes begin. */
  #room(bytes: number, ids = 1): number {
    const end = this.#starts[this.length]!
    if (end + bytes > this.#bytes.length) this.#bytes = grown(this.#bytes, end + bytes)
    if (this.length + ids >= this.#starts.length) {
      const starts = new Uint32Array(Math.max(this.length + ids + 1, this.#starts.length * 2))
      starts.set(this.#starts)
      this.#starts = starts
    }
    return end
  }
}

function grown(bytes: Buffer, needed: number): Buffer {
  const limit = 2 ** 32 - 1
  if (needed > limit) throw new KithError('OUT_OF_MEMORY', `the ids need more than ${limit} bytes`)
  const larger = Buffer.allocUnsafeSlow(Math.min(limit, Math.max(needed, bytes.length * 2)))
  bytes.copy(larger)
  return larger
}
