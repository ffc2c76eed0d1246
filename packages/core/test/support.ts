import { expect } from 'vitest'
import type { KernelName, Matrix } from '../src/index.ts'
import { available } from '../src/kernel/load.ts'

export const allKernels: readonly KernelName[] = (
  ['relaxed-simd', 'simd', 'typescript'] as const
).filter((name) => {
  if (available(name)) return true
  if (process.env['CI']) throw new Error(`kernel ${name} does not run on this machine`)
  console.warn(`skipped: kernel ${name} does not run on this machine`)
  return false
})

export const fastKernels = allKernels.filter((name) => name !== 'typescript')

/** Every entry within a tolerance; NaN never is. */
export function expectClose(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number,
): void {
  expect(actual.length).toBe(expected.length)
  for (let i = 0; i < expected.length; i++) {
    if (!(Math.abs(actual[i]! - expected[i]!) <= tolerance)) {
      expect.fail(`entry ${i} is ${actual[i]}, expected ${expected[i]} ± ${tolerance}`)
    }
  }
}

/** A context as a query and its candidates. */
export function splitContext({ data, rows, dimensions }: Matrix): {
  query: Float32Array
  candidates: Matrix
} {
  const query = data.slice(0, dimensions)
  return { query, candidates: { data: data.slice(dimensions), rows: rows - 1, dimensions } }
}

/** A seeded generator of numbers from 0 to 1. */
export function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
