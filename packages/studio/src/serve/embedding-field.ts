import { dot } from './dot.ts'
import { Problem } from './problem.ts'
import type { RequestVectors } from './request-vectors.ts'

/** Squared lengths up to this one keep inner products within float32. */
const LARGEST_SQUARE = 1e36

/** An embedding and its squared length. */
export interface Embedding {
  vector: Float32Array
  square: number
}

/**
 * An embedding as a request has it: numbers, or the base64 of little-endian float32.
 *
 * @param vectors Those of the request, of which some were read on the way.
 * @param where The field's name in messages.
 */
export function readEmbedding(value: unknown, vectors: RequestVectors, where: string): Embedding {
  if (typeof value !== 'string') return checkEmbedding(fromArray(value, where), where)
  const vector = vectors.named(value) ?? vectors.fromBase64(value)
  if (!vector) throw new Problem(422, `${where} is not the base64 of float32 numbers`)
  return checkEmbedding(vector, where)
}

/** An embedding that can be computed with: not empty, all numbers finite, not too long. */
export function checkEmbedding(vector: Float32Array, where: string): Embedding {
  if (vector.length === 0) throw new Problem(422, `${where} is empty`)
  const square = dot(vector, vector)
  // A NaN or an infinity shows here, too.
  if (!(square <= LARGEST_SQUARE)) {
    const column = vector.findIndex((number) => !Number.isFinite(number))
    const problem =
      column < 0 ? 'is too long for float32' : `has ${vector[column]} in column ${column}`
    throw new Problem(422, `${where} ${problem}`)
  }
  return { vector, square }
}

function fromArray(value: unknown, where: string): Float32Array {
  if (Array.isArray(value) && value.every((number) => typeof number === 'number')) {
    return Float32Array.from(value)
  }
  throw new Problem(422, `${where} must be an array of numbers, or base64 of little-endian float32`)
}
