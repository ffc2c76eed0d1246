import type { Ranking } from '@kith/core'
import { lookedAt } from '@kith/core/internal'
import { checkEmbedding, type Embedding } from './embedding-field.ts'
import type { Item } from './item.ts'
import { Problem } from './problem.ts'
import type { Call } from './route.ts'
import type { DocumentSearcher, Hit } from './searcher.ts'

/** How many documents are found and reranked for a query, where a request does not say so. */
export function usualCandidates({ text }: Item, { ranker, limits }: Call): number {
  return Math.min(lookedAt(ranker.settings, text !== undefined), limits.documents)
}

/** A document that was found, with the score of its ranking. */
interface FoundDocument {
  id: string
  text: string | undefined
  score: number
}

/** Finds documents for a query and ranks them, best first; and the tokens that this took. */
export async function searchDocuments(
  searcher: DocumentSearcher,
  query: Item,
  candidates: number,
  call: Call,
): Promise<{ documents: FoundDocument[]; tokens: number }> {
  const [embedded] = await call.ranker.embed([query], 'query', call)
  const { embedding, tokens } = embedded!
  const { length } = embedding.vector
  if (searcher.dimensions !== undefined && length !== searcher.dimensions) {
    const problem = `the query has ${length} numbers, the documents have ${searcher.dimensions}`
    throw new Problem(422, `${problem}: use the model that the documents were embedded with`)
  }
  const item = { ...query, embedding }
  const { hits, order, scores } = await findAndRank(searcher, item, candidates, call)
  const documents = Array.from(order, (index, place) => {
    const { id, text } = hits[index]!
    return { id, text, score: scores[place]! }
  })
  return { documents, tokens }
}

/** The documents most similar to a query, and their ranking. */
async function findAndRank(
  searcher: DocumentSearcher,
  item: Item & { embedding: Embedding },
  top: number,
  call: Call,
): Promise<{ hits: readonly Hit[] } & Ranking> {
  const { ranker, signal } = call
  checkEmbedding(item.embedding)
  const { vector } = item.embedding
  if (!ranker.choosesByWords(item)) {
    const hits = await searcher.search({ vector, top, vectors: true }, signal())
    return rankAll(hits)
  }
  const hits = await searcher.search({ vector, top, vectors: false }, signal())
  if (hits.every(hasText)) {
    const ranking = await ranker.rankHits(item, hits, (ids) => searcher.vectors(ids))
    return { hits, ...ranking }
  }
  const vectors = await searcher.vectors(hits.map(({ id }) => id))
  return rankAll(hits.flatMap((hit, i) => (vectors[i] ? [{ ...hit, vector: vectors[i] }] : [])))

  async function rankAll(found: readonly Hit[]): Promise<{ hits: readonly Hit[] } & Ranking> {
    const documents = found.map(({ id, text, vector: own }) => ({
      text,
      embedding: { vector: own, where: `document ${id}` },
    }))
    return { hits: found, ...(await ranker.rank(item, documents, call)) }
  }
}

function hasText(hit: Hit): hit is Hit & { text: string } {
  return hit.text !== undefined
}
