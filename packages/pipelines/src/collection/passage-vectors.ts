import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { asFileError, FileError, finished, unfinishedBeside } from '@kith/base'
import type { Matrix } from '@kith/core'
import type { TextEntry } from '@kith/ir'
import { type Metric, searchExact } from '@kith/stores'
import { measureBackground, type SearchStore } from '@kith/stores/internal'
import type { NamedEncoder } from '../encode/encode-texts.ts'
import { fingerprint } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { defaultCache } from './words-place.ts'

/**
 * Returns the embeddings of a folder's texts: cached embeddings of an earlier call, and new
 * embeddings for new or changed texts. If it is stopped or fails, finished embeddings stay cached.
 */
export async function passageVectors(
  texts: readonly string[],
  { encoder, model }: NamedEncoder,
  { folder, cache = defaultCache() }: { folder: string; cache?: string | undefined },
  hooks: Hooks,
): Promise<Matrix> {
  const { dimensions, maxTokens } = encoder
  const { files, ...head } = encoder.source
  const identity = await fingerprint({ ...model, dimensions, maxTokens, ...head }, files)
  const file = join(cache, `${digest(`${await realpath(folder)}\0${identity}`)}.vectors`)
  const keys = texts.map(digest)
  const { vectors, entries, damaged } = await keptVectors(file, keys, dimensions, hooks)
  const missing = [...new Set(keys)].filter((key) => !vectors.has(key))
  const textOf = new Map(keys.map((key, i) => [key, texts[i]!]))
  if (missing.length > 0) {
    try {
      const onProgress = stageOf(hooks, 'encoding', missing.length)
      const rows = encoder.encodeStream(
        missing.map((key) => textOf.get(key)!),
        { role: 'document', onProgress },
      )
      let next = 0
      for await (const { data, rows: count } of rows) {
        for (let row = 0; row < count; row++) {
          vectors.set(missing[next++]!, data.subarray(row * dimensions, (row + 1) * dimensions))
        }
      }
    } finally {
      await keep(file, vectors, hooks)
    }
  } else if (entries > vectors.size || damaged > 0) await keep(file, vectors, hooks)
  const data = new Float32Array(keys.length * dimensions)
  keys.forEach((key, i) => {
    data.set(vectors.get(key)!, i * dimensions)
  })
  return { data, rows: keys.length, dimensions }
}

/**
 * Reads the cached embeddings of an earlier call; none if the file cannot be read. Damaged entries
 * are encoded again.
 */
async function keptVectors(
  file: string,
  keys: readonly string[],
  dimensions: number,
  { onRemark }: Hooks,
): Promise<KeptVectors> {
  try {
    const kept = await readKept(file, new Set(keys), dimensions)
    if (kept.damaged > 0) {
      onRemark?.(`${kept.damaged} damaged embeddings in ${file} were computed again`)
    }
    return kept
  } catch (error) {
    onRemark?.(`cannot use cached embeddings, encoding all passages: ${(error as Error).message}`)
    return { vectors: new Map(), entries: 0, damaged: 0 }
  }
}

/** Caches embeddings for the next call; if writing fails, a remark says so. */
async function keep(
  file: string,
  vectors: ReadonlyMap<string, Float32Array>,
  { onRemark }: Hooks,
): Promise<void> {
  if (vectors.size === 0) return
  try {
    await writeKept(file, vectors)
  } catch (error) {
    onRemark?.(`cannot cache the embeddings for the next start: ${(error as Error).message}`)
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Wraps passages and their embeddings in memory as a store with exact search. */
export function passageStore(
  passages: readonly (TextEntry & { metadata?: unknown })[],
  { data, rows, dimensions }: Matrix,
  ownMetric: Metric,
): SearchStore {
  const places = new Map(passages.map(({ id }, place) => [id, place]))
  const vectorAt = (place: number) => data.slice(place * dimensions, (place + 1) * dimensions)
  return {
    dimensions,
    metric: ownMetric,
    async search(queries, { top, metric = ownMetric, vectors }) {
      const found = await searchExact(queries, { memory: data, rows, dimensions }, { top, metric })
      return Array.from({ length: queries.rows }, (_, q) => {
        const range = [q * found.perQuery, (q + 1) * found.perQuery] as const
        const own = Array.from(found.rows.subarray(...range))
        const all = new Float32Array(vectors ? own.length * dimensions : 0)
        for (const [i, place] of vectors ? own.entries() : []) {
          all.set(vectorAt(place), i * dimensions)
        }
        return {
          ids: own.map((place) => passages[place]!.id),
          scores: found.scores.slice(...range),
          vectors: all,
        }
      })
    },
    async fetch(ids, { vectors, texts }) {
      return ids.map((id) => {
        const place = places.get(id)
        if (place === undefined) return undefined
        const { title, text, metadata } = passages[place]!
        const vector = vectors ? vectorAt(place) : new Float32Array(0)
        return texts ? { vector, title, text, metadata } : { vector }
      })
    },
    background: async () => {
      if (rows < FEW) return undefined
      const gather = (some: ArrayLike<number>) => {
        const picked = new Float32Array(some.length * dimensions)
        for (let i = 0; i < some.length; i++) picked.set(vectorAt(some[i]!), i * dimensions)
        return picked
      }
      return measureBackground({ memory: data, rows, dimensions, gather })
    },
    async close() {},
  }
}

/** Minimum number of passages for a background: fewer say too little about typical similarities. */
const FEW = 50

/** Bytes of a SHA-256 digest. */
const DIGEST = 32
/** Bytes to read or write at a time. */
const CHUNK = 2 ** 20

/** The requested entries of a cache file of embeddings, and the number of all its entries. */
interface KeptVectors {
  /** Embeddings by the key of their text. */
  vectors: Map<string, Float32Array>
  /** Number of entries in the file, requested or not. */
  entries: number
  /** Number of requested entries, or file ends, that differ from what was written. */
  damaged: number
}

/**
 * Reads cached embeddings. An entry is a text's key (SHA-256), a digest of key and embedding, and
 * the embedding in float32. Entries with a wrong digest are left out and counted. Links are not
 * followed.
 *
 * @throws A `KithError` with the reason if the file exists and cannot be read.
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
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return kept
    if (code === 'ELOOP')
      throw new FileError(
        file,
        '',
        'is a symbolic link, which Kith does not follow; remove it or choose another cache folder',
      )
    throw asFileError(file, error)
  } finally {
    await handle?.close()
  }
}

/** Writes embeddings to a new file, which replaces the earlier file or a link. */
export async function writeKept(
  file: string,
  vectors: ReadonlyMap<string, Float32Array>,
): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const written = unfinishedBeside(file)
  try {
    const handle = await open(written, 'wx', 0o600)
    try {
      // `writeFile` on a handle appends each chunk after the last one.
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

/** Fills a buffer up to the end of the file; returns the number of bytes read. */
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
