import { Tokenizer } from '@huggingface/tokenizers'
import type { JsonObject } from '../json.ts'
import { charsmap } from './charsmap.ts'
import { type UnigramModel, unigramPieces } from './unigram.ts'

/** A normalizer of the library: a sequence of others, or one with a table of replacements, or neither. */
interface Normalizer {
  normalizers?: readonly (Normalizer | null)[]
  charsmap?: string | null
  normalize(text: string): string
}

/**
 * The library's tokenizer of a description, with our own search and replacements for Unigram models.
 * It only encodes: nothing is made of the decoder.
 */
export function openTokenizer(description: JsonObject, config: JsonObject): Tokenizer {
  const tokenizer = new Tokenizer({ ...description, decoder: null }, config)
  const model: Partial<UnigramModel> = tokenizer.model
  if (model.trie) {
    model.encode = unigramPieces(model as UnigramModel)
    model.fuse_unk = false
  }
  useCharsmap(tokenizer.normalizer)
  return tokenizer
}

/** The library takes NFKC for every table of replacements. */
function useCharsmap(normalizer: Normalizer | null): void {
  normalizer?.normalizers?.forEach(useCharsmap)
  if (normalizer?.charsmap) normalizer.normalize = charsmap(normalizer.charsmap)
}
