import { createHash } from 'node:crypto'

/** The prefix of a digest's text, so that messages can distinguish it from a value. */
const PREFIX = 'sha256:'

/**
 * A digest of several parts. Each part is preceded by its length, and a part that is missing by
 * −1: no two lists of parts are the same bytes.
 */
export class Digest {
  readonly #hash = createHash('sha256')

  /** Adds a text. */
  text(value: string | undefined): this {
    return this.#bytes(value === undefined ? undefined : Buffer.from(value))
  }

  /** Adds row numbers from any kind of list. */
  rows(values: ArrayLike<number> | undefined): this {
    return this.#bytes(values && Uint32Array.from(values))
  }

  /** Adds numbers from any kind of list. */
  numbers(values: ArrayLike<number> | undefined): this {
    return this.#bytes(values && Float64Array.from(values))
  }

  /** Adds the bytes of an array. */
  array(values: Float32Array | Uint32Array | undefined): this {
    return this.#bytes(values)
  }

  /** The digest; nothing can be added after it. */
  end(): string {
    return PREFIX + this.#hash.digest('hex')
  }

  #bytes(part: NodeJS.ArrayBufferView | undefined): this {
    this.#hash.update(Float64Array.of(part?.byteLength ?? -1))
    if (part) this.#hash.update(part)
    return this
  }
}

/** Whether a value is the text of a digest. */
export function isDigest(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith(PREFIX)
}
