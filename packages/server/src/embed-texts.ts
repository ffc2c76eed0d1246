import type { Role } from '@kith/encoder'
import { z } from 'zod'
import type { EmbeddedText } from './embedding-cache.ts'
import { Problem } from './problem.ts'
import type { Call } from './route.ts'
import { countCutTokens, readText } from './text-limits.ts'

const NO_TOKENS = 'token ids count in the vocabulary of the client, which is not that of this model'

/** A text or several, as requests for embeddings have them. */
export const textsSchema = z.union([z.string(), z.array(z.string()).min(1)], {
  error: `must be a text or an array of texts: ${NO_TOKENS}`,
})

/** Texts of a request for embeddings. */
export interface TextsField {
  /** The name of the field. */
  name: string
  value: z.output<typeof textsSchema>
  role: Role
  /** The dimensions that the client expects. */
  dimensions?: number | null | undefined
}

/** The embeddings of a request's texts. */
export async function embedTexts(field: TextsField, call: Call): Promise<EmbeddedText[]> {
  const { name, value, role, dimensions } = field
  const { embedder, vectors } = call
  if (!embedder) throw new Problem(422, 'this server has no model: start it with --model')
  if (dimensions != null && dimensions !== embedder.dimensions) {
    const problem = `${embedder.name} has ${embedder.dimensions} dimensions`
    throw new Problem(422, `dimensions: ${problem}, not ${dimensions}`)
  }
  const one = typeof value === 'string'
  const where = (i: number): string => (one ? name : `${name}[${i}]`)
  const texts = (one ? [value] : value).map((text, i) => {
    // Longer arrays of numbers were read on the way, as embeddings are.
    if (vectors.named(text)) {
      throw new Problem(422, `${where(i)} must be a text, not numbers: ${NO_TOKENS}`)
    }
    return readText(text, where(i), call)
  })
  const embedded = await embedder.embed(texts, role, call.signal())
  embedded.forEach(({ cut }, i) => {
    if (cut) countCutTokens(where(i), embedder.maxTokens, call)
  })
  return embedded
}
