import { z } from 'zod'
import { checkEmbedding } from './embedding-field.ts'
import { cohereError } from './error-shapes.ts'
import { type Item, itemSchema, readItem } from './item.ts'
import { Problem } from './problem.ts'
import { relevanceOf } from './relevance.ts'
import { answerId, type Call, type Route, route } from './route.ts'

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
    const top = top_n ?? USUAL_RESULTS
    const wanted = Math.max(top, candidates ?? ranker.settings.contextSize)
    if (wanted > limits.documents) {
      throw new Problem(413, `${wanted} candidates, at most ${limits.documents} are allowed`)
    }
    const { item, tokens } = await embedQuery(query, call)
    const { vector } = item.embedding!
    if (searcher.dimensions !== undefined && vector.length !== searcher.dimensions) {
      const problem = `the query has ${vector.length} numbers, the documents have ${searcher.dimensions}`
      throw new Problem(422, `${problem}: use the model that the documents were embedded with`)
    }
    const hits = await searcher.search(vector, wanted, call.signal())
    const documents = hits.map(({ id, text, vector }) => ({
      text,
      embedding: checkEmbedding(vector, `document ${id}`),
    }))
    const { order, scores } = await ranker.rank(item, documents, call.signal)
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

/** The query with its embedding, and the tokens that this took. */
async function embedQuery(
  query: z.infer<typeof itemSchema>,
  call: Call,
): Promise<{ item: Item; tokens: number }> {
  const rules = { arrays: call.arrays, characters: call.limits.characters }
  const item = readItem(query, 'query', rules)
  if (item.embedding) return { item, tokens: 0 }
  const [embedded] = await call.ranker.embed([item], 'query', call.signal)
  return { item: { ...item, embedding: embedded!.embedding }, tokens: embedded!.tokens }
}
