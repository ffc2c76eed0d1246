import { z } from 'zod'
import { type Embedding, readEmbedding } from './embedding-field.ts'
import { Problem } from './problem.ts'
import { readText, type TextRules } from './text-limits.ts'

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

/** Reads a query or a document. */
export function readItem(given: z.infer<typeof itemSchema>, where: string, rules: TextRules): Item {
  const { text, embedding } = typeof given === 'string' ? { text: given, embedding: null } : given
  if (text == null && embedding == null) {
    throw new Problem(422, `${where} has neither a text nor an embedding`)
  }
  return {
    text: text == null ? undefined : readText(text, where, rules),
    embedding:
      embedding == null ? undefined : readEmbedding(embedding, rules.vectors, `${where}.embedding`),
  }
}
