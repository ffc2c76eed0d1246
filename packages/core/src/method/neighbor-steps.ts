/** Sections 2 to 4 in plain TypeScript: nearest and reciprocal neighbors, neighbor vectors, Jaccard. */
import type { Weight } from '../settings/settings.ts'

/** Section 2: rank[i], the k + 1 rows with the highest S[i, ·], best first, ties by the lower row. */
export function rankRows(s: Float32Array, rows: number, k: number): Uint32Array[] {
  return Array.from({ length: rows }, (_, i) => {
    const row = s.subarray(i * rows, (i + 1) * rows)
    const order = Uint32Array.from({ length: rows }, (_, j) => j)
    return order.sort((a, b) => row[b]! - row[a]! || a - b).slice(0, k + 1)
  })
}

/** Section 2: R(i, n), the rows among i's first n + 1 that have i among theirs, for every i. */
export function reciprocalSets(rank: readonly Uint32Array[], n: number): Set<number>[] {
  const first = rank.map((row) => new Set(row.subarray(0, n + 1)))
  return first.map((row, i) => new Set([...row].filter((j) => first[j]!.has(i))))
}

/**
 * Section 2: R*(i) for every i. `trust` is τ, `overlap` is o.
 *
 * A set extends R(i) when more than o of it lies in R(i): strictly more, and
 * always compared with R(i), never with the set that is growing.
 */
export function extendedSets(
  rank: readonly Uint32Array[],
  k: number,
  trust: number,
  overlap: number,
): Set<number>[] {
  const reciprocal = reciprocalSets(rank, k)
  if (trust === 0) return reciprocal
  const closer = reciprocalSets(rank, trustedCount(trust, k))
  return reciprocal.map((own) => {
    const extended = new Set(own)
    for (const c of own) {
      const theirs = closer[c]!
      const shared = [...theirs].filter((j) => own.has(j)).length
      if (shared > overlap * theirs.size) for (const j of theirs) extended.add(j)
    }
    return extended
  })
}

/** t of section 2: τ · (k + 1) rounded half to even, plus 1, at most k. */
export function trustedCount(trust: number, k: number): number {
  return Math.min(k, roundHalfToEven(trust * (k + 1)) + 1)
}

function roundHalfToEven(value: number): number {
  const below = Math.floor(value)
  const rest = value - below
  if (rest !== 0.5) return Math.round(value)
  return below % 2 === 0 ? below : below + 1
}

/**
 * A function from the similarities of a row's neighbors to their weights, and its number in the
 * kernels.
 */
interface WeightFunction {
  code: number
  weigh(similarities: readonly number[], parameter: number): readonly number[]
}

/** Every weight function; `weigh` in assembly/vectors.ts knows them by their code. */
export const weightFunctions: Readonly<Record<Weight, WeightFunction>> = {
  linear: { code: 0, weigh: normalized },
  exp: { code: 1, weigh: (raw, parameter) => normalized(exponential(raw, parameter)) },
  binary: { code: 2, weigh: (raw) => raw.map(() => 1) },
}

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
    const weights = weightFunctions[weight].weigh(raw, parameter)
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

/**
 * Section 3, local expansion: every row of V becomes the plain mean of the rows
 * of its first min(k_exp, k + 1) ranked neighbors.
 */
export function expandWeights(
  v: Float32Array,
  rank: readonly Uint32Array[],
  kExp: number,
): Float32Array {
  if (kExp <= 1) return v
  const rows = rank.length
  const expanded = new Float32Array(rows * rows)
  const sums = new Float64Array(rows)
  rank.forEach((order, i) => {
    const nearest = order.subarray(0, kExp)
    sums.fill(0)
    for (const r of nearest) for (let j = 0; j < rows; j++) sums[j]! += v[r * rows + j]!
    for (let j = 0; j < rows; j++) expanded[i * rows + j] = sums[j]! / nearest.length
  })
  return expanded
}

/** Section 4: s_J(probe, c) = Σ min / Σ max of the neighbor vectors, for all rows c; 0 / 0 is 0. */
export function jaccardTo(v: Float32Array, rows: number, probe: number): Float32Array {
  const own = v.subarray(probe * rows, (probe + 1) * rows)
  return Float32Array.from({ length: rows }, (_, c) => {
    let smaller = 0
    let larger = 0
    for (let j = 0; j < rows; j++) {
      const theirs = v[c * rows + j]!
      smaller += Math.min(own[j]!, theirs)
      larger += Math.max(own[j]!, theirs)
    }
    return larger > 0 ? smaller / larger : 0
  })
}
