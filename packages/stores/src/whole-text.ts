import { createHash } from 'node:crypto'

/** The title and the text of a document in one, as encoders and rankings see them; undefined without a text. */
export function wholeText({
  title,
  text,
}: {
  title?: string | undefined
  text?: string | undefined
}): string | undefined {
  return title && text !== undefined ? `${title} ${text}` : text
}

/** The hash by which documents are found that have a text: 128 bits of SHA-256. */
export function textHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
