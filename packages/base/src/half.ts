/**
 * Internal: numbers in half precision, for Kith's own packages. It runs in browsers as well, for pages
 * that hold embeddings.
 */

/** The value of each of the 65,536 half-precision numbers, made when the first one is needed. */
let table: Float32Array | undefined

/** The table from half-precision bits to values: faster than computing each (Node 20 has no Float16Array). */
export function halfTable(): Float32Array {
  table ??= Float32Array.from({ length: 1 << 16 }, (_, bits) => halfValue(bits))
  return table
}

function halfValue(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN
  if (exponent === 0) return sign * fraction * 2 ** -24
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

/** Writes half-precision numbers as float32, from index `at` on. */
export function toFloats(halves: Uint16Array, into: Float32Array, at: number): void {
  const values = halfTable()
  for (let i = 0; i < halves.length; i++) into[at + i] = values[halves[i]!]!
}

const float = new Float32Array(1)
const word = new Uint32Array(float.buffer)

/** The half-precision bits nearest to a float32, ties to the even one; too large gives infinity. */
export function toHalf(value: number): number {
  float[0] = value
  const bits = word[0]!
  const sign = (bits >>> 16) & 0x8000
  const magnitude = bits & 0x7fffffff
  if (magnitude > 0x7f800000) return sign | 0x7e00
  // From 65,520 on, the nearest half is infinity.
  if (magnitude >= 0x477ff000) return sign | 0x7c00
  // Below 2^-14 halves are evenly spaced: the sum rounds to that spacing, ties to even.
  if (magnitude < 0x38800000) {
    float[0] = Math.abs(float[0]!) + 0.5
    return sign | (word[0]! - 0x3f000000)
  }
  const odd = (magnitude >>> 13) & 1
  return sign | ((magnitude - 0x38000000 + 0xfff + odd) >>> 13)
}

/** Rows as half-precision bits. */
export function toHalves(values: Float32Array): Uint16Array {
  const halves = new Uint16Array(values.length)
  for (let i = 0; i < values.length; i++) halves[i] = toHalf(values[i]!)
  return halves
}

/** The first index of a NaN or an infinity, or -1. */
export function notFinite(values: Float32Array | Uint16Array): number {
  if (values instanceof Uint16Array) return notFiniteHalf(values)
  // A sum of finite numbers over 0 is 0: one pass without a branch, and a search only if not.
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]! * 0
  return sum === 0 ? -1 : values.findIndex((value) => !Number.isFinite(value))
}

function notFiniteHalf(halves: Uint16Array): number {
  for (let i = 0; i < halves.length; i++) if ((halves[i]! & 0x7c00) === 0x7c00) return i
  return -1
}
