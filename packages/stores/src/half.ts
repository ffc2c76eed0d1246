import { halfTable } from '@kith/base/half'

/** Numbers as float32: themselves, or decoded from half precision. */
export function toFloats(data: Float32Array | Uint16Array): Float32Array {
  if (data instanceof Float32Array) return data
  const table = halfTable()
  return Float32Array.from(data, (bits) => table[bits]!)
}
