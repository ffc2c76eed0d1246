import { createHash } from 'node:crypto'

/**
 * Joins a document's title and text, as encoders and rerankers read them; undefined without a text.
 */
export function wholeText({
  title,
  text,
}: {
  title?: string | undefined
  text?: string | undefined
}): string | undefined {
  return title && text !== undefined ? `${title} ${text}` : text
}

/** Returns the hash for looking up documents by text: 128 bits of SHA-256. */
export function textHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
