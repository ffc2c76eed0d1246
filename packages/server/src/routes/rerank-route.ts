import { z } from 'zod'
import { cutsOf, cutsSchema, rulesFor } from '../limits.ts'
import { cohereError, teiError } from '../problem.ts'
import { itemSchema, readItem } from './item.ts'
import { listedAt, listedSchema, listFields, onTopicSchema, readList } from './list-fields.ts'
import { relevanceMeta, relevanceSchema, relevancesOf, similaritySchema } from './relevance.ts'
import { answerId, type Route, route } from './route.ts'

const count = z.int().min(1).nullish()

const body = z.object({
  model: z.string().nullish(),
  query: itemSchema,
  documents: z.array(itemSchema).min(1),
  top_n: count,
  top_k: count.meta({ description: 'Same as top_n, for clients of Voyage.' }),
  truncation: z.boolean().nullish().meta({
    description: 'Truncate texts that are too long, for clients of Voyage.',
  }),
  // RAGFlow sends the strings 'true' and 'false', since Xinference accepts them.
  return_documents: z.union([z.boolean(), z.enum(['true', 'false'])]).nullish(),
  rank_fields: z
    .array(z.enum(['title', 'text']), {
      error: 'only the fields "title" and "text" are supported',
    })
    .nullish(),
  ...listFields,
})

const documentSchema = z.object({ title: z.string().optional(), text: z.string() })

const score = {
  index: z.int(),
  relevance_score: z.number(),
  similarity: similaritySchema,
  ...listedSchema.shape,
}

const answer = z.object({
  id: z.string(),
  model: z.string(),
  object: z.literal('list'),
  results: z.array(z.object({ ...score, document: documentSchema.optional() })),
  data: z
    .array(z.object({ ...score, document: z.string().optional() }))
    .optional()
    .meta({
      description: 'The results in the format of Voyage, if the request has fields of Voyage.',
    }),
  meta: z.object({
    api_version: z.object({ version: z.string() }),
    tokens: z.object({ input_tokens: z.int() }),
    embeddings: z.object({ given: z.int(), found: z.int(), encoded: z.int() }).meta({
      description:
        'Number of documents by source of the embedding: given in the request, found in the store by their texts, or encoded.',
    }),
    ...relevanceSchema.shape,
    ...onTopicSchema.shape,
    ...cutsSchema.shape,
  }),
  usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
})

type Results = z.input<typeof answer>['results']

/**
 * Creates the rerank endpoint of Cohere (versions 1 and 2), Jina and Voyage: one answer with the
 * fields of all three.
 */
export function rerankRoute(version: '1' | '2'): Route {
  return route({
    path: `/v${version}/rerank`,
    summary: 'Rerank documents (API of Cohere, Jina and Voyage)',
    errors: cohereError,
    body,
    answer,
    list: 'documents',
    async handle(request, given) {
      const { query, documents, top_n, top_k, truncation, return_documents, rank_fields } = request
      const call = rulesFor(given, truncation)
      const asked = readItem(query, 'query', call)
      const items = documents.map((document, i) =>
        readItem(onlyFields(document, rank_fields), `documents[${i}]`, call),
      )
      const options = readList(request, { documents, list: 'documents', vectors: call.vectors })
      const ranked = await call.ranker.rank(asked, items, call, options)
      const { order, similarities, tokens, embeddings, onTopic } = ranked
      const relevances = relevancesOf(ranked)
      const wanted = order.subarray(0, top_n ?? top_k ?? order.length)
      const returned = return_documents === true || return_documents === 'true'
      const results = Array.from(wanted, (index, place) => {
        // Returns the whole text, since clients replace their text with it.
        const document = textsOf(documents[index]!)
        return {
          index,
          relevance_score: relevances[place]!,
          similarity: similarities[place]!,
          ...listedAt(ranked, place),
          ...(returned && document ? { document } : {}),
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
          embeddings,
          ...relevanceMeta(call, ranked),
          ...(onTopic === undefined ? {} : { on_topic: onTopic }),
          ...cutsOf(call),
        },
        usage: { prompt_tokens: tokens, total_tokens: tokens },
      }
    },
  })
}

type GivenItem = z.output<typeof itemSchema>

/** Removes the fields that a request does not rank by from a document. */
function onlyFields(given: GivenItem, fields: readonly string[] | null | undefined): GivenItem {
  if (typeof given === 'string' || !fields) return given
  const { title, text, embedding } = given
  return {
    title: fields.includes('title') ? title : undefined,
    text: fields.includes('text') ? text : undefined,
    embedding,
  }
}

function textsOf(given: GivenItem): { title?: string; text: string } | undefined {
  if (typeof given === 'string') return { text: given }
  const { title, text } = given
  if (title) return { title, text: text ?? '' }
  return text == null ? undefined : { text }
}

/** Converts results to Voyage's format, in which documents are texts. */
function asVoyage(results: Results): z.input<typeof answer>['data'] {
  return results.map(({ document, ...result }) =>
    document ? { ...result, document: document.text } : result,
  )
}

/** Request fields of text-embeddings-inference, besides the texts. */
export const teiFields = {
  truncate: z.boolean().nullish().meta({
    description: 'Truncate texts that are too long (default: true, unless the server is strict).',
  }),
  truncation_direction: z
    .enum(['Right', 'right'], {
      error: 'only "Right" is supported: texts are truncated at the end',
    })
    .nullish(),
}

/** The rerank endpoint of text-embeddings-inference. */
const ofTexts = route({
  path: '/rerank',
  summary: 'Rerank texts (API of text-embeddings-inference) or documents (API of Jina)',
  errors: teiError,
  body: z.object({
    query: z.string(),
    texts: z.array(z.string()).min(1),
    raw_scores: z.boolean().nullish(),
    return_text: z.boolean().nullish(),
    ...teiFields,
    ...listFields,
  }),
  answer: z.array(
    z.object({
      index: z.int(),
      score: z.number(),
      similarity: similaritySchema,
      ...listedSchema.shape,
      text: z.string().optional(),
    }),
  ),
  list: 'texts',
  async handle(request, given) {
    const { query, texts, raw_scores, return_text, truncate } = request
    const call = rulesFor(given, truncate)
    const asked = readItem(query, 'query', call)
    const items = texts.map((text, i) => readItem(text, `texts[${i}]`, call))
    const options = readList(request, { documents: texts, list: 'texts', vectors: call.vectors })
    const ranked = await call.ranker.rank(asked, items, call, options)
    const { order, scores, similarities } = ranked
    const relevances = relevancesOf(ranked)
    return Array.from(order, (index, place) => ({
      index,
      score: raw_scores ? scores[place]! : relevances[place]!,
      similarity: similarities[place]!,
      ...listedAt(ranked, place),
      ...(return_text ? { text: texts[index]! } : {}),
    }))
  },
})

const ofDocuments = rerankRoute('1')

/**
 * The endpoint `/rerank`, which has two protocols: Dify and RAGFlow send `documents`, and read
 * Jina's answer.
 */
export const teiRerankRoute: Route = {
  ...ofTexts,
  body: z.union([ofTexts.body, ofDocuments.body]),
  answer: z.union([ofTexts.answer, ofDocuments.answer]),
  handle: (json, call) => (hasDocuments(json) ? ofDocuments : ofTexts).handle(json, call),
}

function hasDocuments(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'documents' in json && !('texts' in json)
}
