import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { finished, unfinishedBeside } from '@kith/base'
import { type TermStatistics, termStatisticsFromBytes, termStatisticsToBytes } from '@kith/core'
import type { WordPlaces } from './word-places.ts'

/** An index of words with the ids of its documents. */
export interface KeptWords {
  ids: readonly string[]
  statistics: TermStatistics
  places: WordPlaces
}

/** The arrays of an index in the order of the file, the widest numbers first. */
const ARRAYS = {
  hashes: Float64Array,
  starts: Uint32Array,
  documents: Uint32Array,
  lengths: Uint32Array,
  counts: Uint16Array,
} as const

/** The first line of a file: which texts it is of, and the sizes of its parts. */
interface Head {
  format: 1
  key: string
  digest: string
  sizes: Record<keyof typeof ARRAYS, number>
  ids: number
  statistics: number
}

/** Bytes of the first line, filled up with spaces. */
const HEAD = 1024

/**
 * Keeps an index for the next start.
 *
 * @param key Names the texts and the tokenizer: an index of another key is none.
 */
export async function keepWords(file: string, key: string, kept: KeptWords): Promise<void> {
  const { ids, statistics, places } = kept
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
  // A new file for this user only takes the place of the earlier one, or of a link.
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

/** The index of a key; undefined if the file has none that is whole. */
export async function keptWords(file: string, key: string): Promise<KeptWords | undefined> {
  const bytes = await readWhole(file).catch(() => undefined)
  if (!bytes || bytes.length < HEAD) return undefined
  try {
    const head = JSON.parse(Buffer.from(bytes.buffer, 0, HEAD).toString()) as Head
    if (head.format !== 1 || head.key !== key) return undefined
    if (digestOf([bytes.subarray(HEAD)]) !== head.digest) return undefined
    let at = HEAD
    const arrays: Record<string, ArrayBufferView> = {}
    for (const [name, Numbers] of Object.entries(ARRAYS)) {
      const length = head.sizes[name as keyof typeof ARRAYS]
      arrays[name] = new Numbers(bytes.buffer, at, length)
      at += length * Numbers.BYTES_PER_ELEMENT
    }
    const statistics = termStatisticsFromBytes(bytes.slice(at, at + head.statistics))
    const ids = Buffer.from(bytes.buffer, at + head.statistics, head.ids).toString()
    return { ids: JSON.parse(ids), statistics, places: arrays as unknown as WordPlaces }
  } catch {
    // An unreadable file only costs the time to make the index again.
    return undefined
  }
}

async function readWhole(file: string): Promise<Uint8Array<ArrayBuffer>> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    const bytes = new Uint8Array((await handle.stat()).size)
    for (let at = 0; at < bytes.length; ) {
      const { bytesRead } = await handle.read(bytes, at, bytes.length - at)
      if (bytesRead === 0) break
      at += bytesRead
    }
    return bytes
  } finally {
    await handle.close()
  }
}

function digestOf(parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}
