import type { Matrix } from '@kith/core'

/** The data of a query besides its code, in the form of the kernel. */
export interface QueryFacts {
  /** The query is about `scale` times its code. */
  scale: number
  /** At least the query's length. */
  length: number
  /** At least the length of what the code leaves out. */
  error: number
  /**
   * The offset that the kernel adds to every product, since documents' codes have 64 added to each
   * number.
   */
  offset: number
}

/** Numbers that the kernel's products of codes take at a time. */
export const CODE_BLOCK = 16
/** The kernel adds up products of this many numbers in 16 bits, in eight sums of two neighbors. */
const RUN = 256
/** The largest sum of one sign: times a document's largest code, 127, it is still 16 bits. */
const MOST = 258
/** Rounding adds up to a half for each of the 32 numbers of a sum. */
const ROUNDING = 16
const LARGEST = 127
/** Queries of a length outside these bounds have no code: squares might leave float32. */
const SHORTEST = 1e-15
const LONGEST = 1e15
/** Covers the rounding of a number to float32. */
const UP = 1 + 2 ** -20

/** Whether inner products with these queries can be estimated from codes. */
export function haveCodes({ data, rows, dimensions }: Matrix): boolean {
  if (dimensions % CODE_BLOCK !== 0) return false
  return Array.from({ length: rows }, (_, q) =>
    lengthOf(data.subarray(q * dimensions, (q + 1) * dimensions)),
  ).every((length) => length === 0 || (length >= SHORTEST && length <= LONGEST))
}

/**
 * Writes the code of a query, signed bytes, and returns its facts. The scale is as fine as it can
 * be so that no sum of the kernel exceeds 16 bits with any document.
 */
export function encodeQuery(query: Float32Array, code: Int8Array): QueryFacts {
  const scale = Math.fround(
    UP * Math.max(largestSum(query) / (MOST - ROUNDING), largest(query) / LARGEST),
  )
  let left = 0
  let total = 0
  for (let i = 0; i < query.length; i++) {
    const value = scale > 0 ? Math.round(query[i]! / scale) : 0
    code[i] = value
    total += value
    left += (query[i]! - scale * value) ** 2
  }
  return {
    scale,
    length: lengthOf(query) * UP,
    error: Math.sqrt(left) * UP,
    offset: 64 * total,
  }
}

/**
 * The most that rounding adds to a score above the bound that the kernel computes from codes,
 * relative to the lengths of query and document: see assembly/scan-codes.ts.
 */
export function slackFor(dimensions: number): number {
  return (dimensions + 64) * 2 ** -23
}

/** The largest sum, of one sign, of numbers that the kernel adds up in one place of 16 bits. */
function largestSum(query: Float32Array): number {
  let most = 0
  for (let run = 0; run < query.length; run += RUN) {
    const end = Math.min(run + RUN, query.length)
    for (let lane = run; lane < Math.min(run + 16, end); lane += 2) {
      let positive = 0
      let negative = 0
      for (let i = lane; i < end; i += 16) {
        for (const value of [query[i]!, query[i + 1]!]) {
          if (value > 0) positive += value
          else negative -= value
        }
      }
      most = Math.max(most, positive, negative)
    }
  }
  return most
}

function largest(query: Float32Array): number {
  return query.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
}

function lengthOf(query: Float32Array): number {
  return Math.sqrt(query.reduce((sum, value) => sum + value * value, 0))
}
