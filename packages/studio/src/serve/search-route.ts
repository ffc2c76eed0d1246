import type { Ranking } from '@kith/core'
import { lookedAt } from '@kith/core/internal'
import { z } from 'zod'
import { checkEmbedding, type Embedding } from './embedding-field.ts'
import { cohereError } from './error-shapes.ts'
import { type Item, itemSchema, readItem } from './item.ts'
import { Problem } from './problem.ts'
import { relevanceOf } from './relevance.ts'
import { answerId, type Call, type Route, route } from './route.ts'
import type { DocumentSearcher, Hit } from './searcher.ts'

/** Results of a search where a request does not say how many. */
const USUAL_RESULTS = 10

/** Searching the server's documents, with reranking. The protocol is ours, close to the others. */
export const searchRoute: Route = route({
  path: '/v1/search',
  summary: 'Search the documents of the server, and rerank what is found',
  errors: cohereError,
  body: z.object({
    query: itemSchema,
    top_n: z.int().min(1).nullish(),
    candidates: z.int().min(1).nullish().meta({ description: 'How many are found and reranked.' }),
    return_documents: z.boolean().nullish(),
  }),
  answer: z.object({
    id: z.string(),
    model: z.string(),
    results: z.array(
      z.object({
        id: z.string(),
        relevance_score: z.number(),
        document: z.object({ text: z.string() }).optional(),
      }),
    ),
    usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
  }),
  async handle({ query, top_n, candidates, return_documents }, call) {
    const { searcher, limits, ranker } = call
    if (!searcher) throw new Problem(422, 'this server has no documents: start it with --store')
    const rules = { vectors: call.vectors, characters: limits.characters }
    const asked = readItem(query, 'query', rules)
    const top = top_n ?? USUAL_RESULTS
    const looked = lookedAt(ranker.settings, asked.text !== undefined)
    const wanted = Math.max(top, candidates ?? Math.min(looked, limits.documents))
    if (wanted > limits.documents) {
      throw new Problem(413, `${wanted} candidates, at most ${limits.documents} are allowed`)
    }
    const { item, tokens } = await embedQuery(asked, call)
    const { vector } = item.embedding
    if (searcher.dimensions !== undefined && vector.length !== searcher.dimensions) {
      const problem = `the query has ${vector.length} numbers, the documents have ${searcher.dimensions}`
      throw new Problem(422, `${problem}: use the model that the documents were embedded with`)
    }
    const { hits, order, scores } = await findAndRank(searcher, item, wanted, call)
    const results = Array.from(order.subarray(0, top), (index, place) => {
      const { id, text } = hits[index]!
      return {
        id,
        relevance_score: relevanceOf(scores[place]!),
        ...(return_documents && text !== undefined ? { document: { text } } : {}),
      }
    })
    const usage = { prompt_tokens: tokens, total_tokens: tokens }
    return { id: answerId(), model: call.model, results, usage }
  },
})

/** A query with its embedding. */
type EmbeddedItem = Item & { embedding: Embedding }

/** The documents most similar to a query, and their ranking. */
async function findAndRank(
  searcher: DocumentSearcher,
  item: EmbeddedItem,
  top: number,
  { ranker, signal }: Call,
): Promise<{ hits: readonly Hit[] } & Ranking> {
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
      embedding: checkEmbedding(own, `document ${id}`),
    }))
    return { hits: found, ...(await ranker.rank(item, documents, signal)) }
  }
}

function hasText(hit: Hit): hit is Hit & { text: string } {
  return hit.text !== undefined
}

/** The query with its embedding, and the tokens that this took. */
async function embedQuery(
  item: Item,
  { ranker, signal }: Call,
): Promise<{ item: EmbeddedItem; tokens: number }> {
  const [embedded] = await ranker.embed([item], 'query', signal)
  return { item: { ...item, embedding: embedded!.embedding }, tokens: embedded!.tokens }
}
