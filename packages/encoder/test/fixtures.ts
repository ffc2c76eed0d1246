/** Small tokenizers, and the ids that Hugging Face's library gives to hard texts. */
import { readFileSync } from 'node:fs'

export interface RecordedTokenizer {
  /** The contents of `tokenizer.json`. */
  description: Record<string, unknown>
  /** The ids of each text. */
  ids: number[][]
  /** Some pairs of texts, with the kinds of segments of their tokens. */
  pairs: { pair: [string, string]; ids: number[]; types: number[] }[]
}

const file = new URL('./fixtures/tokenizers.json', import.meta.url)

export const {
  texts,
  tokenizers,
}: { texts: string[]; tokenizers: Record<string, RecordedTokenizer> } = JSON.parse(
  readFileSync(file, 'utf8'),
)

/** Tokens of a tokenizer, by its description. */
export function sizeOf({ model, added_tokens }: Record<string, unknown>): number {
  const { vocab } = model as { vocab: object }
  const added = (added_tokens as { id: number }[]).map(({ id }) => id)
  return 1 + Math.max(Object.keys(vocab).length - 1, ...added)
}
