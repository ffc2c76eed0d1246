import type { Matrix } from '@kith/core'
import { type Metric, searchExact } from '../exact/search-exact.ts'
import type { StoreHits } from '../store.ts'

/** Documents of a store, some thousands at a time. */
export interface ScannedBlock {
  ids: readonly string[]
  /** The documents' vectors, concatenated. */
  vectors: Float32Array
}

/** The best documents of a query so far, best first. */
interface Best {
  ids: string[]
  scores: Float32Array
}

/**
 * Finds each query's best documents in one pass over all documents: for many queries this is faster
 * than a database that compares one query after another.
 */
export async function searchScanned(
  queries: Matrix,
  blocks: AsyncIterable<ScannedBlock>,
  { top, metric }: { top: number; metric: Metric },
): Promise<Omit<StoreHits, 'vectors'>[]> {
  const { dimensions } = queries
  let best = Array.from({ length: queries.rows }, (): Best => noneYet)
  for await (const { ids, vectors } of large(blocks)) {
    const documents = { memory: vectors, rows: ids.length, dimensions }
    const { rows, scores, perQuery } = await searchExact(queries, documents, { top, metric })
    best = best.map((before, q) => {
      const range = [q * perQuery, (q + 1) * perQuery] as const
      const found = Array.from(rows.subarray(...range), (row) => ids[row]!)
      return merged(before, { ids: found, scores: scores.subarray(...range) }, top)
    })
  }
  return best
}

/** Minimum count of numbers in a block for which worker threads are started. */
const LARGE = 2 ** 25

/** Joins blocks into larger ones, in memory that worker threads share. */
async function* large(blocks: AsyncIterable<ScannedBlock>): AsyncGenerator<ScannedBlock> {
  let parts: ScannedBlock[] = []
  let length = 0
  for await (const block of blocks) {
    parts.push(block)
    length += block.vectors.length
    if (length < LARGE) continue
    yield together(parts, length)
    ;[parts, length] = [[], 0]
  }
  if (parts.length > 0) yield together(parts, length)
}

function together(parts: readonly ScannedBlock[], length: number): ScannedBlock {
  const all = new Float32Array(new SharedArrayBuffer(4 * length))
  let at = 0
  for (const { vectors } of parts) {
    all.set(vectors, at)
    at += vectors.length
  }
  return { ids: parts.flatMap(({ ids }) => ids), vectors: all }
}

const noneYet: Best = { ids: [], scores: new Float32Array(0) }

/** Merges two ranked lists; of equal scores, documents of the first list come first. */
function merged(before: Best, more: Best, top: number): Best {
  const length = Math.min(top, before.ids.length + more.ids.length)
  const ids: string[] = []
  const scores = new Float32Array(length)
  let [a, b] = [0, 0]
  while (ids.length < length) {
    const first = b === more.ids.length || before.scores[a]! >= more.scores[b]!
    const [list, at] = first ? [before, a++] : [more, b++]
    scores[ids.length] = list.scores[at]!
    ids.push(list.ids[at]!)
  }
  return { ids, scores }
}
