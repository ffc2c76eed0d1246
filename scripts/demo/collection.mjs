import { buildWordnet, completeQrels, drawSparse, readNouns, writeSparse } from '@kith/collections'
import { readRun, seededFraction } from '@kith/ir'

const DOCUMENTS = 4000
const SEED = 11

/** The WordNet collection, or a seeded part of it: one query in fourteen, all their relevant documents, some others. */
export async function collectionOf(quick) {
  const whole = buildWordnet(await readNouns())
  if (!quick) return whole
  const queries = whole.queries.filter(({ id }) => seededFraction(SEED, id) < 0.07)
  const wanted = new Set(queries.flatMap(({ relevant }) => relevant))
  const share = (DOCUMENTS - wanted.size) / (whole.documents.length - wanted.size)
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
