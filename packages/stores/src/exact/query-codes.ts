import type { Matrix } from '@kith/core'

/** The values of a query besides its code, in the form that the kernel reads. */
export interface QueryFacts {
  /** The query is approximately `scale` times its code. */
  scale: number
  /** An upper bound of the query's length. */
  length: number
  /** An upper bound of the length of the quantization error. */
  error: number
  /**
   * The offset that the kernel adds to every product, since the codes of documents have 64 added to
   * each number.
   */
  offset: number
}

/** Count of numbers that the kernel multiplies at a time in products of codes. */
export const CODE_BLOCK = 16
/** The kernel sums products of this many numbers in 16 bits, in eight sums of adjacent pairs. */
const RUN = 256
/** The largest sum of one sign: multiplied by a document's largest code, 127, it fits 16 bits. */
const MOST = 258
/** Rounding adds up to one half for each of the 32 numbers of a sum. */
const ROUNDING = 16
const LARGEST = 127
/** Queries with a length outside these bounds get no code: their squares might overflow float32. */
const SHORTEST = 1e-15
const LONGEST = 1e15
/** Factor that covers the rounding of a number to float32. */
const UP = 1 + 2 ** -20

/** Returns whether codes can estimate the inner products with these queries. */
export function haveCodes({ data, rows, dimensions }: Matrix): boolean {
  if (dimensions % CODE_BLOCK !== 0) return false
  return Array.from({ length: rows }, (_, q) =>
    lengthOf(data.subarray(q * dimensions, (q + 1) * dimensions)),
  ).every((length) => length === 0 || (length >= SHORTEST && length <= LONGEST))
}

/**
 * Writes the code of a query as signed bytes, and returns its other values. The scale is the finest
 * at which no sum in the kernel exceeds 16 bits with any document.
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
 * Writes two codes of a query: of the query, and of what the first code leaves out. The error of
 * the second code is the error of both.
 */
export function encodeTwice(
  query: Float32Array,
  first: Int8Array,
  second: Int8Array,
): [QueryFacts, QueryFacts] {
  const coarse = encodeQuery(query, first)
  const rest = query.map((value, i) => value - coarse.scale * first[i]!)
  const fine = encodeQuery(rest, second)
  // The numbers of `rest` are rounded to float32.
  return [coarse, { ...fine, error: fine.error + coarse.error * 2 ** -23 }]
}

/**
 * Returns the maximum rounding error by which a score may exceed the bound that the kernel computes
 * from codes, relative to the lengths of query and document: see assembly/scan-codes.ts.
 */
export function slackFor(dimensions: number): number {
  return (dimensions + 64) * 2 ** -23
}

/** Returns the largest sum, of one sign, of numbers that the kernel adds in one 16-bit lane. */
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
