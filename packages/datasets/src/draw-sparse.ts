import { seededFraction } from '@kith/base/random'
import { KithError } from '@kith/core'
import { type Qrels, type Run, readRun } from '@kith/ir'
import type { WordnetCollection } from './build-wordnet.ts'
import { completeQrels, writeSparse } from './write-wordnet.ts'

/** The default depth of the ranking to which a label may be drawn. */
export const sparseDepth = 200

/** Options for drawing labels. */
export interface DrawSparseOptions {
  /** The seed of the draw. Default: 1. */
  seed?: number | undefined
  /**
   * Maximum rank of a query's label. A label from outside the retrieved list teaches an encoder to
   * move away from the neighborhood it knows (docs/method.md section 7).
   */
  depth?: number | undefined
}

/** One relevant document for each query: sparse labels. */
export interface SparseDraw {
  /** The queries that have a label, in the order of the complete labels. */
  readonly qrels: Qrels
  /** The queries without a relevant document within the depth. */
  readonly without: readonly string[]
}

/**
 * Hides all relevant documents of a query but one, drawn from the relevant documents among the
 * run's first `depth` documents (default 200). The draw depends only on the seed, the query and
 * these documents.
 */
export function drawSparse(
  complete: Qrels,
  run: Run,
  { seed = 1, depth = sparseDepth }: DrawSparseOptions = {},
): SparseDraw {
  if (!Number.isSafeInteger(depth) || depth < 1) {
    throw new KithError('BAD_SETTING', `depth must be a whole number of at least 1, got ${depth}`)
  }
  const qrels = new Map<string, ReadonlyMap<string, number>>()
  const without: string[] = []
  for (const [query, judged] of complete) {
    const retrieved = run.get(query)?.ids.slice(0, depth) ?? []
    // Sorted by id, so that a run that ranks the same documents differently gives the same draw.
    const reached = retrieved.filter((id) => (judged.get(id) ?? 0) > 0).sort()
    const drawn = reached[Math.floor(seededFraction(seed, query) * reached.length)]
    if (drawn === undefined) without.push(query)
    else qrels.set(query, new Map([[drawn, judged.get(drawn)!]]))
  }
  if (qrels.size === 0) {
    const problem = `none of ${complete.size} queries has a relevant document in the run's first ${depth}`
    throw new KithError('BAD_INPUT', `${problem}; is it a run of this dataset?`)
  }
  return { qrels, without }
}

/** How many queries got a label, and how many have no relevant document within the depth. */
export interface SparseCounts {
  queries: number
  without: number
}

/** Draws sparse labels from a run in a file and writes them into the dataset's folder. */
export async function drawFromRun(
  collection: WordnetCollection,
  run: string,
  folder: string,
  options: DrawSparseOptions = {},
): Promise<SparseCounts> {
  const { qrels, without } = drawSparse(completeQrels(collection), await readRun(run), options)
  await writeSparse(collection, qrels, folder)
  return { queries: qrels.size, without: without.length }
}
