/** The inner product of a vector and the one that begins at a place of many. */
export function inner(a: Float32Array, all: Float32Array, from: number): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * all[from + i]!
  return sum
}
