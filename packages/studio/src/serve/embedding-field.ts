import { endianness } from 'node:os'
import { Problem } from './problem.ts'

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
 * @param arrays The arrays that were read on the way, by the name that stands for them.
 * @param where The field's name in messages.
 */
export function readEmbedding(
  value: unknown,
  arrays: ReadonlyMap<string, Float32Array>,
  where: string,
): Embedding {
  const vector =
    typeof value === 'string'
      ? (arrays.get(value) ?? fromBase64(value, where))
      : fromArray(value, where)
  return checkEmbedding(vector, where)
}

/** An embedding that can be computed with: not empty, all numbers finite, not too long. */
export function checkEmbedding(vector: Float32Array, where: string): Embedding {
  if (vector.length === 0) throw new Problem(422, `${where} is empty`)
  let square = 0
  for (let i = 0; i < vector.length; i++) square += vector[i]! * vector[i]!
  // A NaN or an infinity shows here, too.
  if (!(square <= LARGEST_SQUARE)) {
    const column = vector.findIndex((number) => !Number.isFinite(number))
    const problem =
      column < 0 ? 'is too long for float32' : `has ${vector[column]} in column ${column}`
    throw new Problem(422, `${where} ${problem}`)
  }
  return { vector, square }
}

function fromBase64(text: string, where: string): Float32Array {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const bytes = Math.floor(((text.length - padding) * 3) / 4)
  const vector = new Float32Array(bytes >> 2)
  const target = Buffer.from(vector.buffer)
  // Characters that are not base64 are skipped, so that too few bytes come out.
  if (bytes % 4 !== 0 || target.write(text, 'base64') !== bytes) {
    throw new Problem(422, `${where} is not the base64 of float32 numbers`)
  }
  if (endianness() === 'BE') target.swap32()
  return vector
}

function fromArray(value: unknown, where: string): Float32Array {
  if (Array.isArray(value) && value.every((number) => typeof number === 'number')) {
    return Float32Array.from(value)
  }
  throw new Problem(422, `${where} must be an array of numbers, or base64 of little-endian float32`)
}
