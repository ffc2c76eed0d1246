import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { asFileError, finished, unfinishedBeside } from '@kith/base'

/** Bytes of a SHA-256 digest. */
const DIGEST = 32
/** Bytes that are read or written at a time. */
const CHUNK = 2 ** 20

/** The entries of a file of kept embeddings that are wanted, and how many others it has. */
export interface KeptVectors {
  /** Embeddings by the key of their text. */
  vectors: Map<string, Float32Array>
  /** Entries of the file, wanted or not. */
  entries: number
  /** Wanted entries, or ends of files, that are not as they were written. */
  damaged: number
}

/**
 * Reads kept embeddings. An entry is a text's key (SHA-256), a digest of key and embedding, and the
 * embedding in float32; one whose digest does not fit is left out and counted. A link is not followed.
 *
 * @throws A `KithError` with the reason where the file is there and cannot be read.
 */
export async function readKept(
  file: string,
  wanted: ReadonlySet<string>,
  dimensions: number,
): Promise<KeptVectors> {
  const kept: KeptVectors = { vectors: new Map(), entries: 0, damaged: 0 }
  let handle: FileHandle | undefined
  try {
    const safely = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
    handle = await open(file, constants.O_RDONLY | safely)
    const size = 2 * DIGEST + dimensions * 4
    const chunk = Buffer.alloc(size * Math.max(1, Math.floor(CHUNK / size)))
    for (;;) {
      const length = await fill(handle, chunk)
      for (let at = 0; at + size <= length; at += size) {
        takeEntry(chunk.subarray(at, at + size), wanted, kept)
      }
      if (length === chunk.length) continue
      if (length % size > 0) kept.damaged++
      return kept
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return kept
    throw asFileError(file, error)
  } finally {
    await handle?.close()
  }
}

/** Writes embeddings to a new file that takes the place of the earlier one, or of a link. */
export async function writeKept(
  file: string,
  vectors: ReadonlyMap<string, Float32Array>,
): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const written = unfinishedBeside(file)
  try {
    const handle = await open(written, 'wx', 0o600)
    try {
      // Each chunk goes behind the one before.
      for (const chunk of chunksOf(vectors)) await handle.writeFile(chunk)
      await handle.datasync()
    } finally {
      await handle.close()
    }
    await rename(written, file)
  } catch (error) {
    await rm(written, { force: true })
    throw asFileError(file, error)
  } finally {
    finished(written)
  }
}

/** Fills a buffer as far as the file goes; returns how far that is. */
async function fill(handle: FileHandle, buffer: Buffer): Promise<number> {
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return length
}

function takeEntry(entry: Buffer, wanted: ReadonlySet<string>, kept: KeptVectors): void {
  kept.entries++
  const key = entry.toString('hex', 0, DIGEST)
  if (!wanted.has(key)) return
  const bytes = entry.subarray(2 * DIGEST)
  if (!digestOf(entry.subarray(0, DIGEST), bytes).equals(entry.subarray(DIGEST, 2 * DIGEST))) {
    kept.damaged++
    return
  }
  const vector = new Float32Array(bytes.length / 4)
  bytes.copy(new Uint8Array(vector.buffer))
  kept.vectors.set(key, vector)
}

function* chunksOf(vectors: ReadonlyMap<string, Float32Array>): Generator<Buffer> {
  let [parts, length]: [Buffer[], number] = [[], 0]
  for (const [name, { buffer, byteOffset, byteLength }] of vectors) {
    const [key, bytes] = [Buffer.from(name, 'hex'), Buffer.from(buffer, byteOffset, byteLength)]
    parts.push(key, digestOf(key, bytes), bytes)
    length += byteLength
    if (length < CHUNK) continue
    yield Buffer.concat(parts)
    ;[parts, length] = [[], 0]
  }
  yield Buffer.concat(parts)
}

function digestOf(key: Buffer, bytes: Buffer): Buffer {
  return createHash('sha256').update(key).update(bytes).digest()
}
