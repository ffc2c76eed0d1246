import { createHash } from 'node:crypto'

/** The prefix of a digest, so that messages can distinguish it from a value. */
const PREFIX = 'sha256:'

/**
 * A digest of several parts. The length of each part comes before it, −1 for a missing part, so
 * that different lists of parts never give the same bytes.
 */
export class Digest {
  readonly #hash = createHash('sha256')

  /** Adds a text. */
  text(value: string | undefined): this {
    return this.#bytes(value === undefined ? undefined : Buffer.from(value))
  }

  /** Adds row numbers. */
  rows(values: ArrayLike<number> | undefined): this {
    return this.#bytes(values && Uint32Array.from(values))
  }

  /** Adds numbers. */
  numbers(values: ArrayLike<number> | undefined): this {
    return this.#bytes(values && Float64Array.from(values))
  }

  /** Adds the bytes of an array. */
  array(values: Float32Array | Uint32Array | undefined): this {
    return this.#bytes(values)
  }

  /** Returns the digest; nothing can be added afterwards. */
  end(): string {
    return PREFIX + this.#hash.digest('hex')
  }

  #bytes(part: NodeJS.ArrayBufferView | undefined): this {
    this.#hash.update(Float64Array.of(part?.byteLength ?? -1))
    if (part) this.#hash.update(part)
    return this
  }
}

/** Returns whether a value is the text of a digest. */
export function isDigest(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith(PREFIX)
}
