import { z } from 'zod'
import { readText, type TextRules } from '../limits.ts'
import { Problem } from '../problem.ts'
import type { RequestVectors } from '../request-vectors.ts'

/** A query or a document: its text, its embedding, or both. */
export interface Item {
  /** The title; a word counts more in the title than in the text. */
  title?: string | undefined
  text: string | undefined
  embedding: Embedding | undefined
}

/**
 * The schema of an embedding. `readEmbedding` checks the value, because a schema would take as long
 * as parsing.
 */
export const embeddingSchema = z.unknown().meta({
  description: 'An embedding: an array of numbers, or base64 of little-endian float32.',
  oneOf: [
    { type: 'array', items: { type: 'number' } },
    { type: 'string', contentEncoding: 'base64' },
  ],
})

/** The schema of a query or a document. Other fields are kept: a request may group by them. */
export const itemSchema = z.union(
  [
    z.string(),
    z.looseObject({
      title: z
        .string()
        .nullish()
        .meta({ description: 'The title; a word counts more in the title than in the text.' }),
      text: z.string().nullish(),
      embedding: embeddingSchema.optional(),
    }),
  ],
  { error: 'must be a text, or an object with a text, an embedding or both' },
)

/** Reads a query or a document. */
export function readItem(given: z.infer<typeof itemSchema>, where: string, rules: TextRules): Item {
  const { title, text, embedding } =
    typeof given === 'string' ? { text: given, title: null, embedding: null } : given
  if (text == null && !title && embedding == null) {
    throw new Problem(422, `${where} has neither a text nor an embedding`)
  }
  return {
    title: title ? readText(title, `${where}.title`, rules) : undefined,
    text: text == null ? (title ? '' : undefined) : readText(text, where, rules),
    embedding:
      embedding == null ? undefined : readEmbedding(embedding, rules.vectors, `${where}.embedding`),
  }
}

/** The largest squared length with inner products within float32. */
const LARGEST_SQUARE = 1e36

/** An embedding, and its name in messages. */
export interface Embedding {
  vector: Float32Array
  where: string
}

/**
 * Reads an embedding of a request: numbers, or base64 of little-endian float32. `checkEmbedding`
 * and `checkSquare` check its numbers later, when they are used.
 *
 * @param vectors The vectors of the request that were read during parsing.
 * @param where The field's name in messages.
 */
function readEmbedding(value: unknown, vectors: RequestVectors, where: string): Embedding {
  const vector =
    typeof value === 'string'
      ? (vectors.named(value) ?? vectors.fromBase64(value))
      : fromArray(value, where)
  if (!vector) throw new Problem(422, `${where} must be base64 of float32 numbers`)
  if (vector.length === 0) throw new Problem(422, `${where} must not be empty`)
  return { vector, where }
}

/** Throws if an embedding cannot be used: a number is not finite, or the vector is too long. */
export function checkEmbedding(embedding: Embedding): void {
  checkSquare(embedding, dot(embedding.vector, embedding.vector))
}

/** Does the same as `checkEmbedding`, for a known squared length. */
export function checkSquare({ vector, where }: Embedding, square: number): void {
  // NaN and infinity fail this comparison, too.
  if (square <= LARGEST_SQUARE) return
  const column = vector.findIndex((number) => !Number.isFinite(number))
  const problem =
    column < 0
      ? 'is too large: inner products would exceed float32'
      : `must contain only finite numbers, got ${vector[column]} in column ${column}`
  throw new Problem(422, `${where} ${problem}`)
}

function fromArray(value: unknown, where: string): Float32Array {
  if (Array.isArray(value) && value.every((number) => typeof number === 'number')) {
    return Float32Array.from(value)
  }
  throw new Problem(422, `${where} must be an array of numbers, or base64 of little-endian float32`)
}

/**
 * Returns the inner product of two vectors of equal length, in four sums: in a single sum, each
 * addition would wait for the one before.
 */
export function dot(a: Float32Array, b: Float32Array): number {
  const whole = a.length & ~3
  let s0 = 0
  let s1 = 0
  let s2 = 0
  let s3 = 0
  let i = 0
  for (; i < whole; i += 4) {
    s0 += a[i]! * b[i]!
    s1 += a[i + 1]! * b[i + 1]!
    s2 += a[i + 2]! * b[i + 2]!
    s3 += a[i + 3]! * b[i + 3]!
  }
  for (; i < a.length; i++) s0 += a[i]! * b[i]!
  return s0 + s1 + (s2 + s3)
}
