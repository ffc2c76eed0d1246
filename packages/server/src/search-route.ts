import { z } from 'zod'
import { cohereError } from './error-shapes.ts'
import { itemSchema, readItem } from './item.ts'
import { Problem } from './problem.ts'
import { relevanceOf } from './relevance.ts'
import { answerId, type Route, route } from './route.ts'
import { searchDocuments, usualCandidates } from './search-documents.ts'
import { cutsOf, cutsSchema } from './text-limits.ts'

/** Results of a search where a request does not say how many. */
const USUAL_RESULTS = 10

const results = z.array(
  z.object({
    id: z.string(),
    relevance_score: z.number(),
    document: z.object({ text: z.string() }).optional(),
  }),
)

/** Searching the server's documents, with reranking. The protocol is ours, close to the others. */
export const searchRoute: Route = route({
  path: '/v1/search',
  summary: 'Search the documents of the server, and rerank what is found',
  errors: cohereError,
  body: z.object({
    query: z.union([itemSchema, z.array(itemSchema).min(1)], {
      error: 'must be a text, an object with a text, an embedding or both, or a list of these',
    }),
    top_n: z.int().min(1).nullish(),
    candidates: z.int().min(1).nullish().meta({ description: 'How many are found and reranked.' }),
    return_documents: z.boolean().nullish(),
  }),
  answer: z.object({
    id: z.string(),
    model: z.string(),
    results: z.union([
      results,
      z.array(results).meta({ description: 'For a list of queries: the results of each.' }),
    ]),
    meta: cutsSchema,
    usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
  }),
  list: 'query',
  async handle({ query, top_n, candidates, return_documents }, call) {
    const { searcher, limits } = call
    if (!searcher) throw new Problem(422, 'this server has no documents: start it with --store')
    const queries = Array.isArray(query)
      ? query.map((given, i) => readItem(given, `query[${i}]`, call))
      : [readItem(query, 'query', call)]
    const top = top_n ?? USUAL_RESULTS
    const wanted = queries.map((asked) => Math.max(top, candidates ?? usualCandidates(asked, call)))
    const all = wanted.reduce((sum, count) => sum + count, 0)
    if (all > limits.documents) {
      throw new Problem(413, `${all} candidates, at most ${limits.documents} are allowed`)
    }
    const found = await Promise.all(
      queries.map((asked, i) => searchDocuments(searcher, asked, wanted[i]!, call)),
    )
    const lists = found.map(({ documents }) =>
      documents.slice(0, top).map(({ id, text, score }) => ({
        id,
        relevance_score: relevanceOf(score),
        ...(return_documents && text !== undefined ? { document: { text } } : {}),
      })),
    )
    const tokens = found.reduce((sum, each) => sum + each.tokens, 0)
    return {
      id: answerId(),
      model: call.model,
      results: Array.isArray(query) ? lists : lists[0]!,
      meta: cutsOf(call),
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    }
  },
})
