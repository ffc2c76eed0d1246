import type { AsyncScanner } from '../async-scanner.ts'
import type { DocumentReader } from '../documents.ts'
import { handRound, type Slot, slotsFor } from '../hand-round.ts'
import { guessRank, thresholdsFrom } from './guess.ts'
import { merge } from './merge.ts'
import type { Batch, Best } from './scanner.ts'

/** What batches of queries are searched with. */
export interface Search {
  scanners: AsyncScanner[]
  reader: DocumentReader
  slots: Slot[]
  /** Documents to guess thresholds from, with codes. */
  sample: DocumentReader | undefined
  /** Called with the number of documents of each block that is done. */
  onBlock: (rows: number) => void
}

/**
 * Writes the best documents of a batch of queries. With a sample, thresholds are guessed from it,
 * so that few documents need a score from the first block on. Where fewer than `top` documents
 * are above a guess, it was too high, and the query is searched again without.
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

/** Scores that the queries' last documents are almost certainly above. */
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

/** What the scanners find in all documents of a reader. */
async function scanAll(
  { scanners }: Search,
  batch: Batch,
  reader: DocumentReader,
  slots: Slot[],
  onBlock: (rows: number) => void,
): Promise<Best[]> {
  const begun = Promise.all(scanners.map((scanner) => scanner.begin(batch)))
  await Promise.all([begun, handRound(reader, slots, onBlock)])
  return Promise.all(scanners.map((scanner) => scanner.finish()))
}

/** A batch of some of the queries. */
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
