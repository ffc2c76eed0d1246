import { z } from 'zod'
import { dot } from './dot.ts'
import { embedTexts, textsSchema } from './embed-texts.ts'
import { teiError } from './error-shapes.ts'
import { type Route, route } from './route.ts'
import { teiFields } from './tei-fields.ts'
import { rulesFor } from './text-limits.ts'

/** Squared lengths this close to 1 differ from it by rounding. */
const ROUNDING = 1e-5

/** Embeddings as text-embeddings-inference has them. */
export const teiEmbedRoute: Route = route({
  path: '/embed',
  summary: 'Embed texts: the protocol of text-embeddings-inference',
  errors: teiError,
  body: z.object({
    inputs: textsSchema,
    normalize: z.boolean().nullish().meta({
      description: 'Whether embeddings get length 1, default true; false leaves the model’s own.',
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
