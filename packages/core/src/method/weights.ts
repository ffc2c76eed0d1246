import type { Weight } from '../settings/settings.ts'

/** Section 3: V, m × m, zero except V[i, j] for j in R*(i). */
export function neighborWeights(
  s: Float32Array,
  sets: readonly ReadonlySet<number>[],
  weight: Weight,
  parameter: number,
): Float32Array {
  const rows = sets.length
  const v = new Float32Array(rows * rows)
  sets.forEach((set, i) => {
    const members = [...set].sort((a, b) => a - b)
    const raw = members.map((j) => s[i * rows + j]!)
    const weights =
      weight === 'binary'
        ? raw.fill(1)
        : normalized(weight === 'exp' ? exponential(raw, parameter) : raw)
    members.forEach((j, a) => {
      v[i * rows + j] = weights[a]!
    })
  })
  return v
}

/** Divides by the sum. Negative weights count as 0; a row without weight is spread evenly. */
function normalized(raw: readonly number[]): number[] {
  const weights = raw.map((w) => Math.max(0, w))
  const sum = weights.reduce((a, b) => a + b, 0)
  return weights.map((w) => (sum > 0 ? w / sum : 1 / weights.length))
}

/** Up to this exponent a difference of two powers would lose too many of its digits. */
const SMALL_POWER = 1e-3

/**
 * exp(p · S) − 1, up to a common factor that the division by the sum removes:
 * without it, an inner product of 100 would overflow. Negative results become 0.
 */
function exponential(raw: readonly number[], parameter: number): number[] {
  const largest = raw.reduce((a, b) => Math.max(a, parameter * b), 0)
  const factor = Math.exp(-largest)
  return raw.map((value) => {
    const power = parameter * value
    if (!(power > 0)) return 0
    const share = Math.exp(power - largest)
    // Rounded, as the compiled kernels keep it.
    return Math.fround(power > SMALL_POWER ? share - factor : -Math.expm1(-power) * share)
  })
}
