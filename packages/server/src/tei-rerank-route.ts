import { z } from 'zod'
import { teiError } from './error-shapes.ts'
import { readItem } from './item.ts'
import { relevanceOf } from './relevance.ts'
import { rerankRoute } from './rerank-route.ts'
import { type Route, route } from './route.ts'
import { teiFields } from './tei-fields.ts'
import { rulesFor } from './text-limits.ts'

/** Reranking as text-embeddings-inference has it. */
const ofTexts = route({
  path: '/rerank',
  summary: 'Rerank texts as text-embeddings-inference does, or documents as Jina does',
  errors: teiError,
  body: z.object({
    query: z.string(),
    texts: z.array(z.string()).min(1),
    raw_scores: z.boolean().nullish(),
    return_text: z.boolean().nullish(),
    ...teiFields,
  }),
  answer: z.array(z.object({ index: z.int(), score: z.number(), text: z.string().optional() })),
  list: 'texts',
  async handle({ query, texts, raw_scores, return_text, truncate }, given) {
    const call = rulesFor(given, truncate)
    const asked = readItem(query, 'query', call)
    const items = texts.map((text, i) => readItem(text, `texts[${i}]`, call))
    const { order, scores } = await call.ranker.rank(asked, items, call)
    return Array.from(order, (index, place) => ({
      index,
      score: raw_scores ? scores[place]! : relevanceOf(scores[place]!),
      ...(return_text ? { text: texts[index]! } : {}),
    }))
  },
})

const ofDocuments = rerankRoute('1')

/** `/rerank` has two protocols: Dify and RAGFlow send `documents` there, and read Jina's answer. */
export const teiRerankRoute: Route = {
  ...ofTexts,
  body: z.union([ofTexts.body, ofDocuments.body]),
  answer: z.union([ofTexts.answer, ofDocuments.answer]),
  handle: (json, call) => (hasDocuments(json) ? ofDocuments : ofTexts).handle(json, call),
}

function hasDocuments(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'documents' in json && !('texts' in json)
}
