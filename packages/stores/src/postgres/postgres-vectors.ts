import { halfTable, toHalves } from '@kith/base/half'

/** A vector in pgvector's binary form: its length, two unused bytes, the numbers, all big-endian. */
export function encodeVector(vector: Float32Array, type: 'f16' | 'f32'): Buffer {
  const size = type === 'f16' ? 2 : 4
  const bytes = Buffer.allocUnsafe(4 + vector.length * size)
  bytes.writeInt16BE(vector.length, 0)
  bytes.writeInt16BE(0, 2)
  const numbers = type === 'f16' ? toHalves(vector) : vector
  bytes.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), 4)
  swap(bytes.subarray(4), size)
  return bytes
}

/**
 * The numbers of a vector in pgvector's binary form, written to `into`.
 *
 * @returns false where there is no vector, or one of another length or type.
 */
export function decodeVector(
  bytes: Buffer | null,
  type: 'f16' | 'f32',
  into: Float32Array,
): boolean {
  const size = type === 'f16' ? 2 : 4
  if (!bytes || bytes.length !== 4 + into.length * size) return false
  if (type === 'f32') {
    const target = Buffer.from(into.buffer, into.byteOffset, into.byteLength)
    bytes.copy(target, 0, 4)
    target.swap32()
    return true
  }
  const values = halfTable()
  for (let i = 0; i < into.length; i++) into[i] = values[bytes.readUInt16BE(4 + i * 2)]!
  return true
}

/** A vector as pgvector's text: for queries, which are few. */
export function formatVector(vector: Float32Array): string {
  return `[${vector.join(',')}]`
}

function swap(bytes: Buffer, size: 2 | 4): void {
  if (size === 2) bytes.swap16()
  else bytes.swap32()
}
