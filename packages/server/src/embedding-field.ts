import { dot } from './dot.ts'
import { Problem } from './problem.ts'
import type { RequestVectors } from './request-vectors.ts'

/** Squared lengths up to this one keep inner products within float32. */
const LARGEST_SQUARE = 1e36

/** An embedding, and its name in messages. */
export interface Embedding {
  vector: Float32Array
  where: string
}

/**
 * An embedding as a request has it: numbers, or the base64 of little-endian float32. Whether it can
 * be computed with is seen when it is: `checkEmbedding`, `checkSquare`.
 *
 * @param vectors Those of the request, of which some were read on the way.
 * @param where The field's name in messages.
 */
export function readEmbedding(value: unknown, vectors: RequestVectors, where: string): Embedding {
  const vector =
    typeof value === 'string'
      ? (vectors.named(value) ?? vectors.fromBase64(value))
      : fromArray(value, where)
  if (!vector) throw new Problem(422, `${where} is not the base64 of float32 numbers`)
  if (vector.length === 0) throw new Problem(422, `${where} is empty`)
  return { vector, where }
}

/** Throws where an embedding cannot be computed with: a number is not finite, or it is too long. */
export function checkEmbedding(embedding: Embedding): void {
  checkSquare(embedding, dot(embedding.vector, embedding.vector))
}

/** The same where the squared length is known. */
export function checkSquare({ vector, where }: Embedding, square: number): void {
  // A NaN or an infinity shows here, too.
  if (square <= LARGEST_SQUARE) return
  const column = vector.findIndex((number) => !Number.isFinite(number))
  const problem =
    column < 0 ? 'is too long for float32' : `has ${vector[column]} in column ${column}`
  throw new Problem(422, `${where} ${problem}`)
}

function fromArray(value: unknown, where: string): Float32Array {
  if (Array.isArray(value) && value.every((number) => typeof number === 'number')) {
    return Float32Array.from(value)
  }
  throw new Problem(422, `${where} must be an array of numbers, or base64 of little-endian float32`)
}
