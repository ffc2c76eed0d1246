import { seededFraction } from '@kith/base/random'
import { buildWordnet, readNouns } from '@kith/datasets'
import { completeQrels, drawSparse, writeSparse } from '@kith/datasets/internal'
import { readRun } from '@kith/ir'

/** How much of WordNet a demo takes: what part of the queries, and how many documents. */
export const sizes = {
  quick: { folder: 'wordnet-part', queries: 0.03, documents: 1400 },
  usual: { folder: 'wordnet-half', queries: 1, documents: 30_000 },
  whole: { folder: 'wordnet', queries: 1, documents: Infinity },
}
const SEED = 11

/**
 * The WordNet dataset, or a seeded part: some queries, all their relevant documents, some others.
 */
export async function collectionOf({ queries: part, documents: most }) {
  const whole = buildWordnet(await readNouns())
  if (most >= whole.documents.length) return whole
  const queries = whole.queries.filter(({ id }) => seededFraction(SEED, id) < part)
  const wanted = new Set(queries.flatMap(({ relevant }) => relevant))
  const share = (most - wanted.size) / (whole.documents.length - wanted.size)
  const documents = whole.documents.filter(
    ({ id }) => wanted.has(id) || seededFraction(SEED, id) < share,
  )
  return { ...whole, documents, queries }
}

/** Hides all relevant documents of each query but one among its first 200. */
export async function hideLabels(collection, runFile, folder) {
  const { qrels, without } = drawSparse(completeQrels(collection), await readRun(runFile))
  await writeSparse(collection, qrels, folder)
  return `one relevant document for each of ${qrels.size} queries; ${without.length} have none among their first 200`
}
