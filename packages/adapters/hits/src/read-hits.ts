import {
  KithError,
  type MethodSettings,
  type Query,
  type QueryViews,
  type Text,
  type Vector,
} from '@kith/core'
import { higherIsBetter, type RetrieverScores, takesWords } from '@kith/core/internal'
import type { FieldText, Reader } from './reader.ts'

/** A query's vector and text; undefined where it has none. */
export function partsOf(query: Query): { vector: Vector | undefined; text: Text | undefined } {
  const { vector, text } = (query ?? {}) as Partial<QueryViews>
  const views = vector !== undefined || text !== undefined
  return views
    ? { vector: vector ?? undefined, text: text ?? undefined }
    : { vector: query as Vector, text: undefined }
}

/** Some hits may lack a text; if all do, the field is wrong, and ranking on would hide it. */
export function textsOf<Hit>(hits: readonly Hit[], { text }: Pick<Reader<Hit>, 'text'>): string[] {
  if (!text) {
    throw new KithError(
      'BAD_INPUT',
      'the query has a text, the reader knows none of the hits: name the field, such as { text: "body" }, or pass the query’s vector alone',
    )
  }
  const texts = hits.map((hit) => text(hit) ?? '')
  if (hits.length > 0 && texts.every((one) => one === '')) {
    throw new KithError('BAD_INPUT', noTexts(hits[0]!, text))
  }
  return texts
}

/** Names the field that was asked for and those that the first hit has. */
function noTexts<Hit>(hit: Hit, text: NonNullable<Reader<Hit>['text']>): string {
  const { field, fieldsOf = (own) => own } = text as Partial<FieldText<Hit>>
  const fields = Object.keys(fieldsOf(hit) ?? {})
  const where = field === undefined ? 'where the reader looks for it' : `in the field ${field}`
  const there = fields.length > 0 ? `the fields ${fields.join(', ')}` : 'no fields'
  return `no hit has a text ${where}; hit 0 has ${there}: correct the name, or ask the store to return that field`
}

/** The store's scores, the higher the better; undefined where the reader knows none. */
export function scoresOf<Hit>(
  hits: readonly Hit[],
  { score, byScore = true }: Pick<Reader<Hit>, 'score' | 'byScore'>,
): RetrieverScores | undefined {
  const scores = score && hits.map((hit) => score(hit) ?? undefined)
  return scores && byScore ? higherIsBetter(scores) : scores
}

/**
 * Vectors of hits, undefined where a hit has none. With words, some hits may lack theirs: another
 * list brought them. If all do, the store was not asked for them, and ranking on would hide it.
 *
 * @param advice What to do where one is missing that must not be.
 */
export function checkVectors(
  vectors: readonly (Vector | null | undefined)[],
  advice: string,
  words: boolean,
  { method }: MethodSettings,
): (Vector | undefined)[] {
  const found = vectors.map((vector) => (vector && vector.length > 0 ? vector : undefined))
  const bare = found.indexOf(undefined)
  if (bare < 0) return found
  if (words && takesWords(method) && found.some((vector) => vector !== undefined)) return found
  throw new KithError('BAD_INPUT', `hit ${bare} has no dense vector: ${advice}`)
}
