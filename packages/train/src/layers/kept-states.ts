import { type FileHandle, open } from 'node:fs/promises'
import { asFileError, FileError, writeResumably } from '@kith/base'
import { Digest } from '../run/digest.ts'

/** The numbers in a file of hidden states, and how to compute them. */
export interface StateSource {
  /** A digest of everything that determines the numbers. */
  identity: string
  /** The count of numbers in each part; parts are computed and written one at a time. */
  sizes: readonly number[]
  compute(part: number): Promise<Float32Array>
}

/** The number of characters in a digest. */
const DIGEST_LENGTH = new Digest().end().length

/** The number of written parts, and the digest of all of them. */
interface Written {
  parts: number
  digest: string
}

/**
 * Hidden states in a file: the parts as float32, then the identity of their source and the digest
 * of the parts as text. A file with another identity, size or digest is written again; writing
 * resumes after an interruption.
 */
export class KeptStates {
  readonly #handle: FileHandle
  readonly #file: string

  private constructor(handle: FileHandle, file: string) {
    this.#handle = handle
    this.#file = file
  }

  /**
   * Opens the file of a source; writes it if it is missing, damaged or belongs to another source.
   */
  static async open(file: string, source: StateSource): Promise<KeptStates> {
    // The file may be written twice: resuming from damaged parts gives a damaged file.
    for (let attempt = 0; attempt < 3; attempt++) {
      if (attempt > 0) await make(file, source)
      const handle = await opened(file)
      if (!handle) continue
      const states = new KeptStates(handle, file)
      if (await states.#isOf(source)) return states
      await states.close()
    }
    throw new FileError(
      file,
      '',
      'the contents differ from what was just written; the disk may be failing',
    )
  }

  /** Fills an array with the numbers from an index on. */
  async read(from: number, into: Float32Array): Promise<void> {
    const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength)
    if (await this.#fill(bytes, from * 4)) return
    throw new FileError(this.#file, '', 'was truncated while a training read it')
  }

  close(): Promise<void> {
    return this.#handle.close()
  }

  async #isOf({ identity, sizes }: StateSource): Promise<boolean> {
    const numbers = sizes.reduce((sum, part) => sum + part, 0)
    const end = Buffer.alloc(identity.length + DIGEST_LENGTH)
    const { size } = await this.#handle.stat()
    if (size !== numbers * 4 + end.length) return false
    let [from, digest] = [0, '']
    for (const count of sizes) {
      const part = new Float32Array(count)
      await this.read(from, part)
      digest = digestAfter(digest, part)
      from += count
    }
    return (await this.#fill(end, numbers * 4)) && end.toString() === identity + digest
  }

  /** Reads bytes from a position on; returns false if the file is too short. */
  async #fill(bytes: Uint8Array, place: number): Promise<boolean> {
    try {
      for (let done = 0; done < bytes.length; ) {
        const { bytesRead } = await this.#handle.read(
          bytes,
          done,
          bytes.length - done,
          place + done,
        )
        if (bytesRead === 0) return false
        done += bytesRead
      }
      return true
    } catch (error) {
      throw asFileError(this.#file, error)
    }
  }
}

async function opened(file: string): Promise<FileHandle | undefined> {
  return open(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw asFileError(file, error)
  })
}

async function make(file: string, source: StateSource): Promise<void> {
  const { identity, sizes } = source
  await writeResumably<Written>(file, {
    key: identity,
    packed: false,
    isState: isWritten,
    async write(append, written = { parts: 0, digest: '' }) {
      let { parts, digest } = written
      while (parts < sizes.length) {
        const part = await source.compute(parts)
        digest = digestAfter(digest, part)
        parts++
        await append(bytesOf(part), { parts, digest })
      }
      // The end counts as one more part.
      if (parts === sizes.length) {
        await append(identity + digest, { parts: parts + 1, digest })
      }
    },
  })
}

function digestAfter(before: string, part: Float32Array): string {
  return new Digest().text(before).array(part).end()
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

function isWritten(state: unknown): state is Written {
  const { parts, digest } = (state ?? {}) as Partial<Written>
  return Number.isSafeInteger(parts) && parts! >= 0 && typeof digest === 'string'
}
