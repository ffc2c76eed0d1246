import { z } from 'zod'
import { type Embedding, readEmbedding } from './embedding-field.ts'
import { Problem } from './problem.ts'
import type { RequestVectors } from './request-vectors.ts'

/** A query or a document: its text, its embedding, or both. */
export interface Item {
  text: string | undefined
  embedding: Embedding | undefined
}

/** An embedding in JSON; `readEmbedding` checks it, since a schema would take as long as parsing. */
export const embeddingSchema = z.unknown().meta({
  description: 'An embedding: numbers, or the base64 of little-endian float32.',
  oneOf: [
    { type: 'array', items: { type: 'number' } },
    { type: 'string', contentEncoding: 'base64' },
  ],
})

/** A query or a document in JSON. */
export const itemSchema = z.union(
  [z.string(), z.object({ text: z.string().nullish(), embedding: embeddingSchema.optional() })],
  { error: 'must be a text, or an object with a text, an embedding or both' },
)

/** The inputs for reading items: the request's vectors, and how long a text may be. */
export interface ItemRules {
  vectors: RequestVectors
  characters: number
}

/** Reads a query or a document. */
export function readItem(
  given: z.infer<typeof itemSchema>,
  where: string,
  { vectors, characters }: ItemRules,
): Item {
  const { text, embedding } = typeof given === 'string' ? { text: given, embedding: null } : given
  if (text == null && embedding == null) {
    throw new Problem(422, `${where} has neither a text nor an embedding`)
  }
  if (text != null) checkText(text, where, { vectors, characters })
  return {
    text: text ?? undefined,
    embedding:
      embedding == null ? undefined : readEmbedding(embedding, vectors, `${where}.embedding`),
  }
}

/** Throws if a text is none, or is too long. */
export function checkText(text: string, where: string, { vectors, characters }: ItemRules): void {
  if (vectors.named(text)) throw new Problem(422, `${where} must be a text, not numbers`)
  if (text.length > characters) {
    const length = `${text.length} characters, at most ${characters} are allowed`
    throw new Problem(413, `${where} has ${length}: send passages instead of whole documents`)
  }
}
