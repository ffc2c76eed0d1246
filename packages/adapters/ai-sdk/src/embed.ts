import { KithError, type Matrix, type Vector, type Vectors } from '@kith/core'

/** The role of the texts, for models that treat queries otherwise than documents, and a signal to stop. */
export interface EmbedOptions {
  role: 'query' | 'document'
  signal: AbortSignal | undefined
}

/** Turns texts into vectors, one each: an array of them, or a matrix as @kith/encoder gives. */
export type Embed = (texts: string[], options: EmbedOptions) => PromiseLike<Vectors>

/**
 * The vectors that are known, and embeddings of the texts that have none.
 *
 * @param name The name, in messages, of the text with an index.
 */
export async function completeVectors(
  embed: Embed | undefined,
  texts: readonly { text: string; vector: Vector | undefined }[],
  options: EmbedOptions,
  name: (index: number) => string,
): Promise<Vector[]> {
  const missing = texts.flatMap(({ vector }, index) => (vector === undefined ? [index] : []))
  const vectors = texts.map(({ vector }) => vector)
  if (missing.length === 0) return vectors as Vector[]
  if (!embed) {
    throw new KithError(
      'BAD_INPUT',
      `${name(missing[0]!)} has no embedding: give createKith an embed function, or pass documents with an embedding and the query’s in providerOptions: { kith: { embedding } }`,
    )
  }
  const answer = await embed(
    missing.map((index) => texts[index]!.text),
    options,
  )
  const made = Array.isArray(answer) ? answer : rowsOf(answer as Matrix)
  if (made.length !== missing.length) {
    const counts = `${made.length} vectors for ${missing.length} texts`
    throw new KithError('BAD_SHAPE', `embed gave ${counts}`)
  }
  for (const [i, index] of missing.entries()) vectors[index] = made[i]
  return vectors as Vector[]
}

function rowsOf({ data, rows, dimensions }: Matrix): Float32Array[] {
  return Array.from({ length: rows }, (_, i) => data.subarray(i * dimensions, (i + 1) * dimensions))
}
