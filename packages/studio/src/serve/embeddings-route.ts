import { z } from 'zod'
import { openAiError } from './error-shapes.ts'
import { checkText, embeddingSchema } from './item.ts'
import { Problem } from './problem.ts'
import { type Route, route } from './route.ts'

/** Embeddings as OpenAI has them. `input_type` is ours: some models want to know the role of a text. */
export const embeddingsRoute: Route = route({
  path: '/v1/embeddings',
  summary: 'Embed texts: the protocol of OpenAI',
  errors: openAiError,
  body: z.object({
    model: z.string().nullish(),
    input: z.union([z.string(), z.array(z.string()).min(1)], {
      error: 'must be a text or an array of texts',
    }),
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
    usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
  }),
  list: 'input',
  async handle({ input, encoding_format, dimensions, input_type }, call) {
    const { embedder, limits, vectors } = call
    if (!embedder) throw new Problem(422, 'this server has no model: start it with --model')
    if (dimensions != null && dimensions !== embedder.dimensions) {
      const problem = `${embedder.name} has ${embedder.dimensions} dimensions`
      throw new Problem(422, `dimensions: ${problem}, not ${dimensions}`)
    }
    const texts = typeof input === 'string' ? [input] : input
    const rules = { vectors, characters: limits.characters }
    texts.forEach((text, i) => {
      checkText(text, typeof input === 'string' ? 'input' : `input[${i}]`, rules)
    })
    const embedded = await embedder.embed(texts, input_type ?? 'document', call.signal())
    const tokens = embedded.reduce((sum, entry) => sum + entry.tokens, 0)
    return {
      object: 'list' as const,
      model: call.model,
      data: embedded.map(({ vector }, index) => ({
        object: 'embedding' as const,
        index,
        embedding: encoding_format === 'base64' ? toBase64(vector) : Array.from(vector),
      })),
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
