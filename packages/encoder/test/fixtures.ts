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
