import { DocumentReader } from '../documents.ts'
import { toFloats } from '../half.ts'

/** Documents of a sample, and at most this part of all. */
const SAMPLE_ROWS = 2 ** 14
const MOST_PART = 1 / 32
/** They are read in this many places all over the collection, as neighbors may be alike. */
const PLACES = 256
/** Documents with larger numbers are left to the search, which knows what to say of them. */
const LARGEST = 1e12

/** Some documents from all over the collection; undefined if they cannot be scored safely. */
export async function sampleOf(reader: DocumentReader): Promise<DocumentReader | undefined> {
  const { rows, dimensions } = reader
  const places = Math.min(PLACES, Math.floor(rows * MOST_PART))
  const each = Math.floor(Math.min(SAMPLE_ROWS, rows * MOST_PART) / places)
  if (places === 0) return undefined
  const bytes = each * dimensions * 4
  const memory = new Float32Array(new SharedArrayBuffer(places * bytes))
  const buffer = new SharedArrayBuffer(bytes)
  for (let place = 0; place < places; place++) {
    const from = Math.floor((place * rows) / places)
    const numbers = toFloats(await reader.read(from, from + each, buffer))
    if (!numbers.every((number) => Math.abs(number) < LARGEST)) return undefined
    memory.set(numbers, place * each * dimensions)
  }
  return new DocumentReader({ rows: places * each, dimensions, memory }, true)
}

/**
 * The rank that a query's `top`-th document is almost certainly above among a sample: where so
 * many are expected, four standard deviations more. Undefined if the sample is too small.
 */
export function guessRank(top: number, sampleRows: number, rows: number): number | undefined {
  const expected = (top * sampleRows) / rows
  const rank = Math.ceil(expected + 4 * Math.sqrt(expected) + 3)
  return rank <= sampleRows ? rank : undefined
}

/** Thresholds just below the last documents that the queries found in a sample. */
export function thresholdsFrom(scores: Float32Array, rank: number): Float32Array {
  return Float32Array.from({ length: scores.length / rank }, (_, q) => {
    const last = scores[(q + 1) * rank - 1]!
    return last - Math.abs(last) * 1e-6 - 1e-37
  })
}
