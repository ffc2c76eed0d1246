import { createHash } from 'node:crypto'
import { mkdir, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Matrix } from '@kith/core'
import { type Embeddings, openEmbeddings, writeEmbeddings } from '@kith/ir'
import type { NamedEncoder } from '../encode/open-encoder.ts'
import { fingerprint } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../hooks.ts'

/** The folder in which the embeddings of folders are kept. */
export function defaultCache(): string {
  return join(process.env['KITH_CACHE'] ?? join(homedir(), '.cache', 'kith'), 'embeddings')
}

/**
 * The embeddings of a folder's texts: those that an earlier call kept, and the encoder's for texts
 * that are new or have changed. Work that is stopped or fails keeps what it has encoded.
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
  const file = join(cache, `${digest(`${await realpath(folder)}\0${identity}`)}.parquet`)
  const vectors = new Map<string, Float32Array>()
  const keys = texts.map(digest)
  const kept = await readKept(file, keys, dimensions, vectors)
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
      await keep(file, vectors, dimensions, hooks)
    }
  } else if (kept > vectors.size) await keep(file, vectors, dimensions, hooks)
  const data = new Float32Array(keys.length * dimensions)
  keys.forEach((key, i) => {
    data.set(vectors.get(key)!, i * dimensions)
  })
  return { data, rows: keys.length, dimensions }
}

/** Takes the wanted rows of a file that may not be there, or be damaged; returns how many it has. */
async function readKept(
  file: string,
  keys: readonly string[],
  dimensions: number,
  into: Map<string, Float32Array>,
): Promise<number> {
  let found: Embeddings | undefined
  try {
    found = await openEmbeddings(file)
    if (found.dimensions !== dimensions) return 0
    for (const key of keys) {
      const row = found.rowOf(key)
      if (row !== undefined) into.set(key, found.gather([row]))
    }
    return found.rows
  } catch {
    // Then all texts are encoded, and the file is written anew.
    into.clear()
    return 0
  } finally {
    await found?.close()
  }
}

/** Keeps embeddings for the next call, which does without them where that fails. */
async function keep(
  file: string,
  vectors: ReadonlyMap<string, Float32Array>,
  dimensions: number,
  { onRemark }: Hooks,
): Promise<void> {
  if (vectors.size === 0) return
  try {
    await mkdir(join(file, '..'), { recursive: true, mode: 0o700 })
    await writeEmbeddings(file, { dimensions, ids: vectors.keys() }, vectors.values())
  } catch (error) {
    onRemark?.(`the embeddings are not kept for the next time: ${(error as Error).message}`)
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
