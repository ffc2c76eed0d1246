import {
  type Candidates,
  KithError,
  type MethodSettings,
  type Query,
  type Tokenizer,
} from '@kith/core'
import { textAt } from '@kith/ir/internal'
import type { TrialCollection, TrialQuery, TrialTexts } from '../evaluate/collection.ts'

/** A judged query and its candidates as reranking takes them, with texts of this tokenizer where there are any. */
export function viewsOf(
  collection: TrialCollection,
  own: TrialQuery,
  tokenizer: Tokenizer,
): [Query, Candidates] {
  const { dimensions, queries, docs } = collection
  const row = (all: Float32Array, number: number) =>
    all.subarray(number * dimensions, (number + 1) * dimensions)
  const vector = row(queries, own.row)
  const vectors = Array.from(own.docs, (number) => row(docs, number))
  const texts = textsOf(collection, tokenizer)
  if (!texts) return [vector, vectors]
  const asked = { vector, text: textAt(texts.queries, own.row) }
  return [asked, { vectors, texts: Array.from(own.docs, (number) => textAt(texts.docs, number)) }]
}

/** Settings with the collection's term statistics, where they are known and count. */
export function withStatistics(
  collection: TrialCollection,
  settings: MethodSettings,
): MethodSettings {
  const statistics = textsOf(collection, settings.tokenizer)?.statistics
  return statistics && settings.mix === 'words' ? { ...settings, statistics } : settings
}

function textsOf({ texts }: TrialCollection, tokenizer: Tokenizer): TrialTexts | undefined {
  if (!texts) return undefined
  const found = texts.find(({ docs }) => docs.tokenizer === tokenizer)
  if (found) return found
  throw new KithError(
    'BAD_SETTING',
    `texts were prepared with tokenizers ${texts.map(({ docs }) => docs.tokenizer).join(', ')}, not with ${String(tokenizer)}`,
  )
}
