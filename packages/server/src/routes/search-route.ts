import { lookedAt } from '@kith/core/internal'
import { wholeText } from '@kith/stores/internal'
import { z } from 'zod'
import { cutsOf, cutsSchema } from '../limits.ts'
import { cohereError, Problem } from '../problem.ts'
import type { RankedList } from '../ranker.ts'
import type { DocumentSearcher, Hit } from '../searcher.ts'
import { checkEmbedding, type Embedding, type Item, itemSchema, readItem } from './item.ts'
import { relevanceMeta, relevanceSchema, relevancesOf } from './relevance.ts'
import { answerId, type Call, type Route, route } from './route.ts'

/** The default number of search results. */
const USUAL_RESULTS = 10

const results = z.array(
  z.object({
    id: z.string(),
    relevance_score: z.number(),
    similarity: z
      .number()
      .optional()
      .meta({ description: 'Cosine or inner product with the query, if it was computed.' }),
    document: z.object({ text: z.string() }).optional(),
  }),
)

/**
 * Searches the server's documents and reranks them. The protocol is Kith's own, close to the rerank
 * protocols.
 */
export const searchRoute: Route = route({
  path: '/v1/search',
  summary: 'Search the documents of the server and rerank the hits',
  errors: cohereError,
  body: z.object({
    query: z.union([itemSchema, z.array(itemSchema).min(1)], {
      error: 'must be a text, an object with a text, an embedding or both, or a list of these',
    }),
    top_n: z.int().min(1).nullish(),
    candidates: z.int().min(1).nullish().meta({ description: 'Number of hits to rerank.' }),
    return_documents: z.boolean().nullish(),
  }),
  answer: z.object({
    id: z.string(),
    model: z.string(),
    results: z.union([
      results,
      z
        .array(results)
        .meta({ description: 'The results of each query, if the request has a list of queries.' }),
    ]),
    meta: z.object({ ...relevanceSchema.shape, ...cutsSchema.shape }),
    usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
  }),
  list: 'query',
  async handle({ query, top_n, candidates, return_documents }, call) {
    const { searcher, limits } = call
    if (!searcher)
      throw new Problem(422, 'this server has no documents; start the server with --store')
    const queries = Array.isArray(query)
      ? query.map((given, i) => readItem(given, `query[${i}]`, call))
      : [readItem(query, 'query', call)]
    const top = top_n ?? USUAL_RESULTS
    const wanted = queries.map((asked) => Math.max(top, candidates ?? usualCandidates(asked, call)))
    const all = wanted.reduce((sum, count) => sum + count, 0)
    if (all > limits.documents) {
      throw new Problem(
        413,
        `the request asks for ${all} candidates, the limit is ${limits.documents}`,
      )
    }
    const found = await Promise.all(
      queries.map((asked, i) => searchDocuments(searcher, asked, wanted[i]!, call)),
    )
    const lists = found.map(({ documents }) =>
      documents.slice(0, top).map(({ id, relevance, similarity, ...document }) => {
        const text = wholeText(document)
        return {
          id,
          relevance_score: relevance,
          ...(Number.isFinite(similarity) ? { similarity } : {}),
          ...(return_documents && text !== undefined ? { document: { text } } : {}),
        }
      }),
    )
    const tokens = found.reduce((sum, each) => sum + each.tokens, 0)
    return {
      id: answerId(),
      model: call.model,
      results: Array.isArray(query) ? lists : lists[0]!,
      meta: { ...relevanceMeta(call, found[0]!), ...cutsOf(call) },
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    }
  },
})

/** Returns how many candidates are found and reranked for a query if the request does not say. */
function usualCandidates({ text }: Item, { ranker, limits }: Call): number {
  return Math.min(lookedAt(ranker.settings, text !== undefined), limits.documents)
}

/** A document that was found, with its relevance. */
interface FoundDocument {
  id: string
  title: string | undefined
  text: string | undefined
  relevance: number
  /** The cosine or inner product with the query; NaN if the document's vector was not fetched. */
  similarity: number
}

/**
 * Finds documents for a query and ranks them, best first; also returns the tokens that the encoder
 * read.
 */
async function searchDocuments(
  searcher: DocumentSearcher,
  query: Item,
  candidates: number,
  call: Call,
): Promise<{ documents: FoundDocument[]; tokens: number } & Pick<RankedList, 'relevances'>> {
  const [embedded] = await call.ranker.embed([query], 'query', call)
  const { embedding, tokens } = embedded!
  const { length } = embedding.vector
  if (searcher.dimensions !== undefined && length !== searcher.dimensions) {
    const problem = `the query has ${length} dimensions, but the documents have ${searcher.dimensions}`
    throw new Problem(422, `${problem}; use the model that embedded the documents`)
  }
  const item = { ...query, embedding }
  const ranked = await findAndRank(searcher, item, candidates, call)
  const { hits, order, relevances } = ranked
  const own = relevancesOf(ranked)
  const documents = Array.from(order, (index, place) => {
    const { id, title, text } = hits[index]!
    const similarity = ranked.similarities?.[place] ?? Number.NaN
    return { id, title, text, relevance: own[place]!, similarity }
  })
  return { documents, tokens, relevances }
}

/** Finds the documents most similar to a query, and ranks them. */
async function findAndRank(
  searcher: DocumentSearcher,
  item: Item & { embedding: Embedding },
  top: number,
  call: Call,
): Promise<{ hits: readonly Hit[] } & RankedList> {
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

  async function rankAll(found: readonly Hit[]): Promise<{ hits: readonly Hit[] } & RankedList> {
    const documents = found.map(({ id, title, text, vector: own }) => ({
      title,
      text,
      embedding: { vector: own, where: `document ${id}` },
    }))
    return { hits: found, ...(await ranker.rank(item, documents, call)) }
  }
}

function hasText(hit: Hit): hit is Hit & { text: string } {
  return hit.text !== undefined
}
