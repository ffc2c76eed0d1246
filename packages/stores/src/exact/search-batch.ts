import { DocumentReader } from '../documents.ts'
import { type AsyncScanner, type Slot, scanBlocks, slotsFor } from '../scan-blocks.ts'
import { toFloats } from './finite.ts'
import type { Batch, Best } from './scanner.ts'

/** The inputs of a search for batches of queries. */
export interface Search {
  scanners: AsyncScanner[]
  reader: DocumentReader
  slots: Slot[]
  /** Documents to estimate thresholds from, if codes are used. */
  sample: DocumentReader | undefined
  /** Called with the number of documents in each finished block. */
  onBlock: (rows: number) => void
}

/**
 * Writes the best documents of a batch of queries. With a sample, it estimates thresholds, so that
 * few documents need a score from the first block on. If fewer than `top` documents exceed a
 * query's threshold, the estimate was too high, and the query is searched again without one.
 */
export async function searchBatch(
  search: Search,
  batch: Batch,
  rows: Uint32Array,
  scores: Float32Array,
): Promise<void> {
  const { reader, slots, onBlock } = search
  const thresholds = await guess(search, batch)
  const found = await scanAll(search, { ...batch, thresholds }, reader, slots, onBlock)
  const again = merge(found, batch.top, rows, scores)
  if (again.length === 0) return
  const { top } = batch
  const missed = await scanAll(search, only(batch, again), reader, slots, () => onBlock(0))
  const part = {
    rows: new Uint32Array(again.length * top),
    scores: new Float32Array(again.length * top),
  }
  merge(missed, top, part.rows, part.scores)
  again.forEach((q, i) => {
    rows.set(part.rows.subarray(i * top, (i + 1) * top), q * top)
    scores.set(part.scores.subarray(i * top, (i + 1) * top), q * top)
  })
}

/** Estimates thresholds that the queries' last documents almost certainly exceed. */
async function guess(search: Search, batch: Batch): Promise<Float32Array | undefined> {
  const { sample, scanners, reader, onBlock } = search
  const rank = sample && guessRank(batch.top, sample.rows, reader.rows)
  if (!rank) return undefined
  const slots = slotsFor(scanners, sample)
  const sampled: Batch = { ...batch, top: rank, codes: false }
  const found = await scanAll(search, sampled, sample, slots, () => onBlock(0))
  const scores = new Float32Array(batch.queries.rows * rank)
  merge(found, rank, new Uint32Array(scores.length), scores)
  return thresholdsFrom(scores, rank)
}

/** Scans all documents of a reader and returns the results of all scanners. */
async function scanAll(
  { scanners }: Search,
  batch: Batch,
  reader: DocumentReader,
  slots: Slot[],
  onBlock: (rows: number) => void,
): Promise<Best[]> {
  const begun = Promise.all(scanners.map((scanner) => scanner.begin(batch)))
  await Promise.all([begun, scanBlocks(reader, slots, onBlock)])
  return Promise.all(scanners.map((scanner) => scanner.finish()))
}

/** Returns a batch of the selected queries. */
function only(batch: Batch, some: number[]): Batch {
  const { data, dimensions } = batch.queries
  const queries = {
    data: new Float32Array(some.length * dimensions),
    rows: some.length,
    dimensions,
  }
  some.forEach((q, i) => {
    queries.data.set(data.subarray(q * dimensions, (q + 1) * dimensions), i * dimensions)
  })
  return { ...batch, queries }
}

/** Number of documents in a sample, and the maximum fraction of all documents. */
const SAMPLE_ROWS = 2 ** 14
const MOST_PART = 1 / 32
/** The sample comes from this many places in the file, since neighboring rows may be similar. */
const PLACES = 256
/**
 * If a document has a larger number, no sample is used: the search itself reports such documents.
 */
const LARGEST = 1e12

/** Samples documents from the whole collection; undefined if they cannot be scored safely. */
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
 * Returns the rank in a sample that a query's `top`-th document is almost certainly above: the
 * expected rank plus four standard deviations. Undefined if the sample is too small.
 */
function guessRank(top: number, sampleRows: number, rows: number): number | undefined {
  const expected = (top * sampleRows) / rows
  const rank = Math.ceil(expected + 4 * Math.sqrt(expected) + 3)
  return rank <= sampleRows ? rank : undefined
}

/** Returns thresholds just below the last score of each query in a sample. */
function thresholdsFrom(scores: Float32Array, rank: number): Float32Array {
  return Float32Array.from({ length: scores.length / rank }, (_, q) => {
    const last = scores[(q + 1) * rank - 1]!
    return last - Math.abs(last) * 1e-6 - 1e-37
  })
}

/**
 * Merges several scanners' documents for a batch of queries, best first, ties by ascending row:
 * `top` documents per query. Returns the queries for which the scanners found fewer than `top` in
 * total; it writes no documents for them.
 */
function merge(found: Best[], top: number, rows: Uint32Array, scores: Float32Array): number[] {
  const queries = found[0]!.counts.length
  const short: number[] = []
  for (let q = 0; q < queries; q++) {
    if (found.reduce((sum, { counts }) => sum + counts[q]!, 0) < top) {
      short.push(q)
      continue
    }
    const heads = found.map(() => q * top)
    const ends = found.map(({ counts }) => q * top + counts[q]!)
    for (let i = 0; i < top; i++) {
      let best = -1
      for (let scanner = 0; scanner < found.length; scanner++) {
        if (heads[scanner]! < ends[scanner]! && (best < 0 || before(found, heads, scanner, best))) {
          best = scanner
        }
      }
      const from = heads[best]!++
      rows[q * top + i] = found[best]!.rows[from]!
      scores[q * top + i] = found[best]!.scores[from]!
    }
  }
  return short
}

function before(found: Best[], heads: number[], a: number, b: number): boolean {
  const scoreA = found[a]!.scores[heads[a]!]!
  const scoreB = found[b]!.scores[heads[b]!]!
  if (scoreA !== scoreB) return scoreA > scoreB
  return found[a]!.rows[heads[a]!]! < found[b]!.rows[heads[b]!]!
}
