const SMALLEST = 2 ** -24

/** The number that the 16 bits of a half-precision float stand for. */
export function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN
  if (exponent === 0) return sign * fraction * SMALLEST
  return sign * (1024 + fraction) * 2 ** (exponent - 25)
}

/** Numbers as float32: themselves, or decoded from half precision. */
export function toFloats(data: Float32Array | Uint16Array): Float32Array {
  return data instanceof Float32Array ? data : Float32Array.from(data, fromHalf)
}
