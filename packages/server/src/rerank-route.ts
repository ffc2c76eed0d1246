import { z } from 'zod'
import { cohereError } from './error-shapes.ts'
import { itemSchema, readItem } from './item.ts'
import { relevanceOf } from './relevance.ts'
import { answerId, type Route, route } from './route.ts'
import { cutsOf, cutsSchema, rulesFor } from './text-limits.ts'

const count = z.int().min(1).nullish()

const body = z.object({
  model: z.string().nullish(),
  query: itemSchema,
  documents: z.array(itemSchema).min(1),
  top_n: count,
  top_k: count.meta({ description: 'As top_n, for clients of Voyage.' }),
  truncation: z.boolean().nullish().meta({
    description: 'Whether texts that are too long are cut; a field of Voyage’s.',
  }),
  // RAGFlow sends words, since Xinference takes them.
  return_documents: z.union([z.boolean(), z.enum(['true', 'false'])]).nullish(),
  rank_fields: z
    .array(z.literal('text'), { error: 'only the field "text" of documents is ranked by' })
    .nullish(),
})

const score = { index: z.int(), relevance_score: z.number() }

const answer = z.object({
  id: z.string(),
  model: z.string(),
  object: z.literal('list'),
  results: z.array(z.object({ ...score, document: z.object({ text: z.string() }).optional() })),
  data: z
    .array(z.object({ ...score, document: z.string().optional() }))
    .optional()
    .meta({ description: 'The results as Voyage has them, where fields of its requests came.' }),
  meta: z.object({
    api_version: z.object({ version: z.string() }),
    tokens: z.object({ input_tokens: z.int() }),
    ...cutsSchema.shape,
  }),
  usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
})

type Results = z.input<typeof answer>['results']

/** Reranking as Cohere (versions 1 and 2), Jina and Voyage have it: one answer with the fields of all. */
export function rerankRoute(version: '1' | '2'): Route {
  return route({
    path: `/v${version}/rerank`,
    summary: 'Rerank documents: the protocol of Cohere, Jina and Voyage',
    errors: cohereError,
    body,
    answer,
    list: 'documents',
    async handle({ query, documents, top_n, top_k, truncation, return_documents }, given) {
      const call = rulesFor(given, truncation)
      const asked = readItem(query, 'query', call)
      const items = documents.map((document, i) => readItem(document, `documents[${i}]`, call))
      const { order, scores, tokens } = await call.ranker.rank(asked, items, call)
      const wanted = order.subarray(0, top_n ?? top_k ?? order.length)
      const returned = return_documents === true || return_documents === 'true'
      const results = Array.from(wanted, (index, place) => {
        // The text as it came, since clients use it in the place of their own.
        const text = textOf(documents[index]!)
        return {
          index,
          relevance_score: relevanceOf(scores[place]!),
          ...(returned && text != null ? { document: { text } } : {}),
        }
      })
      const voyage = top_k !== undefined || truncation !== undefined
      return {
        id: answerId(),
        model: call.model,
        object: 'list' as const,
        results,
        ...(voyage ? { data: asVoyage(results) } : {}),
        meta: {
          api_version: { version },
          tokens: { input_tokens: tokens },
          ...cutsOf(call),
        },
        usage: { prompt_tokens: tokens, total_tokens: tokens },
      }
    },
  })
}

function textOf(given: z.output<typeof itemSchema>): string | null | undefined {
  return typeof given === 'string' ? given : given.text
}

/** Voyage returns documents as texts. */
function asVoyage(results: Results): z.input<typeof answer>['data'] {
  return results.map(({ document, ...result }) =>
    document ? { ...result, document: document.text } : result,
  )
}
