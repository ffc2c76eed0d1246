import { z } from 'zod'
import { cohereError } from './error-shapes.ts'
import { itemSchema, readItem } from './item.ts'
import { relevanceOf } from './relevance.ts'
import { answerId, type Route, route } from './route.ts'

const body = z.object({
  model: z.string().nullish(),
  query: itemSchema,
  documents: z.array(itemSchema).min(1),
  top_n: z.int().min(1).nullish(),
  return_documents: z.boolean().nullish(),
  rank_fields: z
    .array(z.literal('text'), { error: 'only the field "text" of documents is ranked by' })
    .nullish(),
})

const answer = z.object({
  id: z.string(),
  model: z.string(),
  object: z.literal('list'),
  results: z.array(
    z.object({
      index: z.int(),
      relevance_score: z.number(),
      document: z.object({ text: z.string() }).optional(),
    }),
  ),
  meta: z.object({
    api_version: z.object({ version: z.string() }),
    tokens: z.object({ input_tokens: z.int() }),
  }),
  usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
})

/** Reranking as Cohere (versions 1 and 2) and Jina have it: one answer with the fields of both. */
export function rerankRoute(version: '1' | '2'): Route {
  return route({
    path: `/v${version}/rerank`,
    summary: 'Rerank documents: the protocol of Cohere and Jina',
    errors: cohereError,
    body,
    answer,
    list: 'documents',
    async handle({ query, documents, top_n, return_documents }, call) {
      const rules = { vectors: call.vectors, characters: call.limits.characters }
      const asked = readItem(query, 'query', rules)
      const items = documents.map((given, i) => readItem(given, `documents[${i}]`, rules))
      const { order, scores, tokens } = await call.ranker.rank(asked, items, call.signal)
      const results = Array.from(order.subarray(0, top_n ?? order.length), (index, place) => {
        const { text } = items[index]!
        return {
          index,
          relevance_score: relevanceOf(scores[place]!),
          ...(return_documents && text !== undefined ? { document: { text } } : {}),
        }
      })
      return {
        id: answerId(),
        model: call.model,
        object: 'list' as const,
        results,
        meta: { api_version: { version }, tokens: { input_tokens: tokens } },
        usage: { prompt_tokens: tokens, total_tokens: tokens },
      }
    },
  })
}
