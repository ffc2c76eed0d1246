import { readRun } from '@kith/ir'
import type { WordnetCollection } from './build-wordnet.ts'
import { completeQrels } from './complete-qrels.ts'
import { type DrawSparseOptions, drawSparse } from './draw-sparse.ts'
import { writeSparse } from './write-wordnet.ts'

/** How many queries got a label, and how many have no relevant document in reach. */
export interface SparseCounts {
  queries: number
  without: number
}

/** Draws sparse labels from a run in a file and writes them into the collection's folder. */
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
