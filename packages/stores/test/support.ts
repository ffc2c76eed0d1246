import { type KernelName, kernel, type Matrix } from '@kith/core'
import { recipeFor } from '../src/exact/search-exact.ts'
import type { DocumentSource, ExactSearchResult, Metric } from '../src/index.ts'

// Asking for the default kernel also allows relaxed SIMD on Node 20.
kernel()

export const kernels = (['relaxed-simd', 'simd', 'typescript'] as const).filter((name) => {
  try {
    recipeFor(name)
    return true
  } catch (error) {
    if (process.env['CI']) throw error
    console.warn(`skipped: kernel ${name} does not run on this machine`)
    return false
  }
}) satisfies KernelName[]

/** What search must find, by scoring and sorting everything. */
export function searchBySorting(
  queries: Matrix,
  documents: Matrix,
  top: number,
  metric: Metric,
): ExactSearchResult {
  const perQuery = Math.min(top, documents.rows)
  const rows: number[] = []
  const scores: number[] = []
  for (let q = 0; q < queries.rows; q++) {
    const query = rowOf(queries, q)
    const all = Array.from({ length: documents.rows }, (_, row) => ({
      row,
      score: score(query, rowOf(documents, row), metric),
    }))
    all.sort((a, b) => b.score - a.score || a.row - b.row)
    for (const { row, score } of all.slice(0, perQuery)) {
      rows.push(row)
      scores.push(score)
    }
  }
  return { rows: Uint32Array.from(rows), scores: Float32Array.from(scores), perQuery }
}

function score(a: Float32Array, b: Float32Array, metric: Metric): number {
  const product = dot(a, b)
  if (metric === 'dot') return product
  return Math.fround(Math.fround(product * inverse(b)) * inverse(a))
}

function inverse(vector: Float32Array): number {
  const square = dot(vector, vector)
  return square > 0 ? Math.fround(1 / Math.sqrt(square)) : 0
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0)
}

/** A row of a matrix. */
export function rowOf({ data, dimensions }: Matrix, row: number): Float32Array {
  return data.subarray(row * dimensions, (row + 1) * dimensions)
}

/** Documents on a shared buffer. */
export function shared({ data, rows, dimensions }: Matrix): DocumentSource {
  const memory = new Float32Array(new SharedArrayBuffer(data.byteLength))
  memory.set(data)
  return { rows, dimensions, memory }
}

/** Documents as if on disk: copied into what the reader is given. */
export function stored({ data, rows, dimensions }: Matrix): DocumentSource {
  return {
    rows,
    dimensions,
    type: 'f32',
    read(from, to, into) {
      into.set(data.subarray(from * dimensions, to * dimensions))
      return into
    },
  }
}

/** Small whole numbers in half precision; their bits. */
export function toHalves(data: Float32Array): Uint16Array {
  return Uint16Array.from(data, (value) => {
    if (value === 0) return 0
    const exponent = Math.floor(Math.log2(Math.abs(value)))
    const fraction = (Math.abs(value) / 2 ** exponent - 1) * 1024
    return (value < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | fraction
  })
}

/** Rows of seeded whole numbers between −range and range. */
export function wholeNumbers(
  rows: number,
  dimensions: number,
  seed: number,
  range: number,
): Matrix {
  let state = seed
  const data = Float32Array.from({ length: rows * dimensions }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    return ((state >>> 8) % (2 * range + 1)) - range
  })
  return { data, rows, dimensions }
}

/** Ways to make row `row` of a matrix, from numbers between −1 and 1. */
export const kinds = {
  noise: (random) => random(),
  // Sums of codes are as large as they get.
  signs: (random) => Math.sign(random()) || 1,
  positive: () => 1,
  equal: (_, __, column) => Math.sin(column),
  // Scores that differ by less than the codes can tell.
  near: (random, _, column) => Math.sin(column) + 1e-6 * random(),
  copies: (_, row, column) => Math.sin(column * ((row % 7) + 1)),
  lengths: (random, row) => random() * 10 ** ((row % 9) * 4 - 16),
  // Squares of these leave float32, inner products with short queries do not.
  long: (random, row) => random() * (row % 5 === 0 ? 1e18 : 1),
  short: (random, row) => random() * (row % 2 === 0 ? 1e-22 : 1e-15),
  zeros: (random, row) => (row % 3 === 0 ? 0 : random()),
  zero: () => 0,
  rising: (_, row) => row + 1,
  spike: (random, row, column) => (column === row % 16 ? 100 : 0.01 * random()),
} satisfies Record<string, (random: () => number, row: number, column: number) => number>
export type Kind = keyof typeof kinds

/** Rows of one kind, seeded. */
export function matrix(rows: number, dimensions: number, kind: Kind, seed: number): Matrix {
  let state = seed | 1
  const random = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state / 2 ** 31
  }
  const make: (random: () => number, row: number, column: number) => number = kinds[kind]
  const data = Float32Array.from({ length: rows * dimensions }, (_, i) =>
    make(random, Math.floor(i / dimensions), i % dimensions),
  )
  return { data, rows, dimensions }
}
