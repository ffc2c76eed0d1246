import { z } from 'zod'
import { embedTexts, textsSchema } from './embed-texts.ts'
import { openAiError } from './error-shapes.ts'
import { embeddingSchema } from './item.ts'
import { type Route, route } from './route.ts'
import { cutsOf, cutsSchema } from './text-limits.ts'

/** Embeddings as OpenAI has them. `input_type` is ours: some models want to know the role of a text. */
export const embeddingsRoute: Route = route({
  path: '/v1/embeddings',
  summary: 'Embed texts: the protocol of OpenAI',
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
