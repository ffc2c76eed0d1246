import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Matrix } from '@kith/core'
import type { NamedEncoder } from '../encode/open-encoder.ts'
import { fingerprint } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { type KeptVectors, readKept, writeKept } from './kept-vectors.ts'

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

/** What an earlier call kept; none where that cannot be read. Entries that are damaged are encoded again. */
async function keptVectors(
  file: string,
  keys: readonly string[],
  dimensions: number,
  { onRemark }: Hooks,
): Promise<KeptVectors> {
  try {
    const kept = await readKept(file, new Set(keys), dimensions)
    if (kept.damaged > 0) {
      onRemark?.(`damaged entries replaced: ${kept.damaged} in ${file}`)
    }
    return kept
  } catch (error) {
    onRemark?.(
      `kept embeddings are not used, all passages are encoded: ${(error as Error).message}`,
    )
    return { vectors: new Map(), entries: 0, damaged: 0 }
  }
}

/** Keeps embeddings for the next call, which does without them where that fails. */
async function keep(
  file: string,
  vectors: ReadonlyMap<string, Float32Array>,
  { onRemark }: Hooks,
): Promise<void> {
  if (vectors.size === 0) return
  try {
    await writeKept(file, vectors)
  } catch (error) {
    onRemark?.(`the embeddings are not kept for the next time: ${(error as Error).message}`)
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
