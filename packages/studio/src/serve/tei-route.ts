import { z } from 'zod'
import { teiError } from './error-shapes.ts'
import { readItem } from './item.ts'
import { relevanceOf } from './relevance.ts'
import { type Route, route } from './route.ts'

/** Reranking as text-embeddings-inference has it. */
export const teiRoute: Route = route({
  path: '/rerank',
  summary: 'Rerank texts: the protocol of text-embeddings-inference',
  errors: teiError,
  body: z.object({
    query: z.string(),
    texts: z.array(z.string()).min(1),
    raw_scores: z.boolean().nullish(),
    return_text: z.boolean().nullish(),
  }),
  answer: z.array(z.object({ index: z.int(), score: z.number(), text: z.string().optional() })),
  list: 'texts',
  async handle({ query, texts, raw_scores, return_text }, call) {
    const rules = { vectors: call.vectors, characters: call.limits.characters }
    const asked = readItem(query, 'query', rules)
    const items = texts.map((text, i) => readItem(text, `texts[${i}]`, rules))
    const { order, scores } = await call.ranker.rank(asked, items, call.signal)
    return Array.from(order, (index, place) => ({
      index,
      score: raw_scores ? scores[place]! : relevanceOf(scores[place]!),
      ...(return_text ? { text: texts[index]! } : {}),
    }))
  },
})
