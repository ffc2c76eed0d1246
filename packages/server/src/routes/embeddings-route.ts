import type { Role } from '@kith/encoder'
import { z } from 'zod'
import { countCutTokens, cutsOf, cutsSchema, readText, rulesFor } from '../limits.ts'
import { openAiError, Problem, teiError } from '../problem.ts'
import type { EmbeddedText } from '../text-model.ts'
import { dot, embeddingSchema } from './item.ts'
import { teiFields } from './rerank-route.ts'
import { type Call, type Route, route } from './route.ts'

const NO_TOKENS = 'token ids are not supported, because this model has another vocabulary'

/** One or more texts, in a request for embeddings. */
const textsSchema = z.union([z.string(), z.array(z.string()).min(1)], {
  error: `must be a text or an array of texts; ${NO_TOKENS}`,
})

/** The texts in a request for embeddings. */
interface TextsField {
  /** The name of the field. */
  name: string
  value: z.output<typeof textsSchema>
  role: Role
  /** The dimensions that the client expects. */
  dimensions?: number | null | undefined
}

/** Embeds the texts of a request. */
async function embedTexts(field: TextsField, call: Call): Promise<EmbeddedText[]> {
  const { name, value, role, dimensions } = field
  const { embedder, vectors } = call
  if (!embedder) throw new Problem(422, 'this server has no model; start the server with --model')
  if (dimensions != null && dimensions !== embedder.dimensions) {
    const problem = `must be ${embedder.dimensions}, the dimensions of ${embedder.name}`
    throw new Problem(422, `dimensions ${problem}, got ${dimensions}`)
  }
  const one = typeof value === 'string'
  const where = (i: number): string => (one ? name : `${name}[${i}]`)
  const texts = (one ? [value] : value).map((text, i) => {
    // Longer arrays of numbers were read as embeddings during parsing.
    if (vectors.named(text)) {
      throw new Problem(422, `${where(i)} must be a text, not numbers; ${NO_TOKENS}`)
    }
    return readText(text, where(i), call)
  })
  const embedded = await embedder.embed(texts, role, call.signal())
  embedded.forEach(({ cut }, i) => {
    if (cut) countCutTokens(where(i), embedder.maxTokens, call)
  })
  return embedded
}

/**
 * The embeddings endpoint of OpenAI's API. `input_type` is Kith's own field: some models treat
 * queries and documents differently.
 */
export const embeddingsRoute: Route = route({
  path: '/v1/embeddings',
  summary: 'Embed texts (OpenAI API)',
  errors: openAiError,
  body: z.object({
    model: z.string().nullish(),
    input: textsSchema,
    encoding_format: z.enum(['float', 'base64']).nullish(),
    dimensions: z.int().nullish(),
    input_type: z.enum(['query', 'document']).nullish(),
  }),
  answer: z.object({
    object: z.literal('list'),
    model: z.string(),
    data: z.array(
      z.object({ object: z.literal('embedding'), index: z.int(), embedding: embeddingSchema }),
    ),
    meta: cutsSchema,
    usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
  }),
  list: 'input',
  async handle({ input, encoding_format, dimensions, input_type }, call) {
    const role = input_type ?? 'document'
    const embedded = await embedTexts({ name: 'input', value: input, role, dimensions }, call)
    const tokens = embedded.reduce((sum, entry) => sum + entry.tokens, 0)
    return {
      object: 'list' as const,
      model: call.model,
      data: embedded.map(({ vector }, index) => ({
        object: 'embedding' as const,
        index,
        embedding: encoding_format === 'base64' ? toBase64(vector) : Array.from(vector),
      })),
      meta: cutsOf(call),
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    }
  },
})

function toBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4)
  vector.forEach((number, i) => {
    bytes.writeFloatLE(number, i * 4)
  })
  return bytes.toString('base64')
}

/** The tolerance within which squared lengths differ from 1 by rounding only. */
const ROUNDING = 1e-5

/** The embeddings endpoint of text-embeddings-inference. */
export const teiEmbedRoute: Route = route({
  path: '/embed',
  summary: 'Embed texts (text-embeddings-inference API)',
  errors: teiError,
  body: z.object({
    inputs: textsSchema,
    normalize: z.boolean().nullish().meta({
      description: 'Scale embeddings to length 1 (default: true).',
    }),
    prompt_name: z.enum(['query', 'document', 'passage']).nullish(),
    dimensions: z.int().nullish(),
    ...teiFields,
  }),
  answer: z.array(z.array(z.number())),
  list: 'inputs',
  async handle({ inputs, normalize, prompt_name, dimensions, truncate }, call) {
    const role = prompt_name === 'query' ? 'query' : 'document'
    const field = { name: 'inputs', value: inputs, role, dimensions } as const
    const embedded = await embedTexts(field, rulesFor(call, truncate))
    return embedded.map(({ vector }) =>
      Array.from(normalize === false ? vector : ofLengthOne(vector)),
    )
  },
})

function ofLengthOne(vector: Float32Array): Float32Array {
  const square = dot(vector, vector)
  if (square === 0 || Math.abs(square - 1) < ROUNDING) return vector
  const length = Math.sqrt(square)
  return vector.map((number) => number / length)
}
