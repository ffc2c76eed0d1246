/** The inner product of two vectors of one length; four sums at a time, since each addition waits for the last. */
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
