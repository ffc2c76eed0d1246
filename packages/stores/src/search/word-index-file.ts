import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, read } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { finished, readAllSync, unfinishedBeside } from '@kith/base'
import { type TermStatistics, termStatisticsFromBytes, termStatisticsToBytes } from '@kith/core'
import { OpenState } from '@kith/core/internal'
import type { Places, WordPlaces, WordTerms } from './word-places.ts'

/** A full-text index with the ids of its documents. */
interface Words {
  ids: readonly string[]
  statistics: TermStatistics
}

/** A full-text index in memory. */
export interface MadeWords extends Words {
  places: WordPlaces
}

/** A full-text index in a file, whose postings are read on demand. */
export interface KeptWords extends Words {
  terms: WordTerms
  /** Reads postings into memory that the next call overwrites. */
  read(from: number, to: number): Places
  close(): void
}

/** The arrays of an index in the order of the file, the widest numbers first. */
const ARRAYS = {
  hashes: Float64Array,
  starts: Uint32Array,
  documents: Uint32Array,
  lengths: Uint32Array,
  counts: Uint16Array,
} as const

/** The first line of a file: the key of the indexed texts, and the sizes of the file's parts. */
interface Head {
  format: 1
  key: string
  digest: string
  sizes: Record<keyof typeof ARRAYS, number>
  ids: number
  statistics: number
}

/** Bytes of the first line, padded with spaces. */
const HEAD = 1024

/**
 * Saves an index for the next start.
 *
 * @param key Identifies the texts and the tokenizer: an index with another key is ignored.
 */
export async function keepWords(file: string, key: string, made: MadeWords): Promise<void> {
  const { ids, statistics, places } = made
  const names = Object.keys(ARRAYS) as (keyof typeof ARRAYS)[]
  const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
    new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength)
  const listed = Buffer.from(JSON.stringify(ids))
  const counted = termStatisticsToBytes(statistics)
  const parts = [...names.map((name) => bytesOf(places[name])), counted, listed]
  const sizes = Object.fromEntries(names.map((name) => [name, places[name].length]))
  const head: Head = {
    ...{ format: 1, key, digest: digestOf(parts), sizes: sizes as Head['sizes'] },
    ...{ ids: listed.length, statistics: counted.length },
  }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  // A new file, readable only by this user, replaces the earlier file or link.
  const written = unfinishedBeside(file)
  try {
    const handle = await open(written, 'wx', 0o600)
    try {
      await handle.writeFile(JSON.stringify(head).padEnd(HEAD))
      for (const part of parts) await handle.writeFile(part)
    } finally {
      await handle.close()
    }
    await rename(written, file)
  } catch (error) {
    await rm(written, { force: true })
    throw error
  } finally {
    finished(written)
  }
}

/** Opens the index with a key; undefined if the file is missing, damaged or has another key. */
export async function keptWords(file: string, key: string): Promise<KeptWords | undefined> {
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    const kept = await readWords(file, descriptor, key)
    if (!kept) closeSync(descriptor)
    return kept
  } catch {
    // If the file cannot be read, the index is built again.
    if (descriptor !== undefined) closeSync(descriptor)
    return undefined
  }
}

async function readWords(
  file: string,
  descriptor: number,
  key: string,
): Promise<KeptWords | undefined> {
  const bytesAt = <T extends ArrayBufferView>(into: T, at: number): T => {
    const { buffer, byteOffset, byteLength } = into
    readAllSync(descriptor, new Uint8Array(buffer, byteOffset, byteLength), at, file)
    return into
  }
  const head = JSON.parse(bytesAt(Buffer.alloc(HEAD), 0).toString()) as Head
  if (head.format !== 1 || head.key !== key) return undefined
  if ((await digestOfFile(descriptor, HEAD)) !== head.digest) return undefined
  const offsets: Record<string, number> = {}
  let at = HEAD
  for (const [name, Numbers] of Object.entries(ARRAYS)) {
    offsets[name] = at
    at += head.sizes[name as keyof typeof ARRAYS] * Numbers.BYTES_PER_ELEMENT
  }
  const whole = <Name extends keyof typeof ARRAYS>(name: Name) =>
    bytesAt(new ARRAYS[name](head.sizes[name]), offsets[name]!) as InstanceType<
      (typeof ARRAYS)[Name]
    >
  const state = new OpenState(`the index ${file}`)
  let postings = roomFor(0)
  const ids = bytesAt(Buffer.alloc(head.ids), at + head.statistics).toString()
  return {
    ids: JSON.parse(ids),
    statistics: termStatisticsFromBytes(bytesAt(new Uint8Array(head.statistics), at)),
    terms: { hashes: whole('hashes'), starts: whole('starts'), lengths: whole('lengths') },
    read(from, to) {
      state.check()
      if (to - from > postings.documents.length) postings = roomFor(to - from)
      const { documents, counts } = postings
      return {
        documents: bytesAt(documents.subarray(0, to - from), offsets['documents']! + 4 * from),
        counts: bytesAt(counts.subarray(0, to - from), offsets['counts']! + 2 * from),
      }
    },
    close() {
      if (state.end()) closeSync(descriptor)
    },
  }
}

function roomFor(count: number): Places {
  return { documents: new Uint32Array(count), counts: new Uint16Array(count) }
}

/** Bytes to read at a time. */
const CHUNK = 2 ** 20

/** Computes the digest of a file from a position on. */
async function digestOfFile(descriptor: number, from: number): Promise<string> {
  const hash = createHash('sha256')
  const chunk = Buffer.alloc(CHUNK)
  const { size } = fstatSync(descriptor)
  for (let at = from; at < size; ) {
    const { bytesRead } = await promisify(read)(descriptor, chunk, 0, CHUNK, at)
    if (bytesRead === 0) break
    hash.update(chunk.subarray(0, bytesRead))
    at += bytesRead
  }
  return hash.digest('hex')
}

function digestOf(parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}
