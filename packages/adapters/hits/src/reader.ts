import {
  KithError,
  type MethodSettings,
  type Query,
  type QueryViews,
  type Text,
  type TitledText,
  type Vector,
} from '@kith/core'
import { higherIsBetter, type RetrieverScores, takesWords } from '@kith/core/internal'

/**
 * How to read a store's hits. The built-in readers have a few lines each; for a store without one,
 * write the functions yourself:
 *
 * ```ts
 * rerankHits(query, hits, { vector: (hit) => hit.embedding, text: (hit) => hit.body })
 * ```
 */
export interface Reader<Hit> {
  /** Returns the hit's vector; undefined if the store has not sent a dense vector. */
  readonly vector: (hit: Hit) => Vector | undefined
  /**
   * Returns the hit's text; undefined if it has none. Without this function, only vectors can be
   * used.
   */
  readonly text?: ((hit: Hit) => string | undefined) | undefined
  /**
   * Returns the hit's title, in which a word counts more than in the text; undefined if there is
   * none.
   */
  readonly title?: ((hit: Hit) => string | undefined) | undefined
  /**
   * Returns the store's score of the hit. Texts and scores choose the hits whose vectors are
   * fetched; the score also replaces the similarity of a hit without a vector. Higher is better;
   * distances are negated, and so are scores that increase from the best hit to the last.
   */
  readonly score?: ((hit: Hit) => number | undefined) | undefined
  /**
   * False if hits are not sorted by these scores, such as hits of several lists: increasing scores
   * are then not distances, and stay unchanged.
   */
  readonly byScore?: boolean | undefined
  /** Returns the id by which merged lists recognize a document; undefined if a hit has none. */
  readonly id?: ((hit: Hit) => string | number | bigint | undefined) | undefined
  /** The advice in the error message about a missing vector. */
  readonly advice?: string | undefined
}

/** The fields with a hit's text and title. */
export interface TextField {
  /** The name of the field with the text; without it only vectors can be used. */
  text?: string | undefined
  /** The name of the field with the title. */
  title?: string | undefined
}

/** The fields with a hit's vector, text and title. */
export interface Fields extends TextField {
  /** The name of the field with the vector. */
  vector?: string | undefined
}

/** The columns with a row's vector, text, title and id. */
export interface RowFields extends Fields {
  /** The name of the column with the id, for `mergeHits`; `id` by default. */
  id?: string | undefined
}

/** A function that reads a text, and the field it reads, for messages. */
interface FieldText<Hit> {
  (hit: Hit): string | undefined
  readonly field: string
  readonly fieldsOf: (hit: Hit) => unknown
}

/**
 * Returns a reader's function for the text or title in a field, if hits keep their fields in an
 * object.
 */
export function textIn<Hit>(
  field: string | undefined,
  fieldsOf: (hit: Hit) => unknown,
): FieldText<Hit> | undefined {
  if (field === undefined) return undefined
  const text = (hit: Hit): string | undefined => {
    const value = fieldOf(fieldsOf(hit), field)
    return typeof value === 'string' ? value : undefined
  }
  return Object.assign(text, { field, fieldsOf })
}

/** Returns a field of an object; undefined if the value is not an object. */
export function fieldOf(object: unknown, field: string): unknown {
  return typeof object === 'object' && object !== null
    ? (object as Record<string, unknown>)[field]
    : undefined
}

/**
 * Returns the finite number in a field; undefined if there is none. The types of hits omit scores:
 * if two types had `score`, a reader would accept the hits of the other store.
 */
export function numberIn(object: unknown, field: string): number | undefined {
  const value = fieldOf(object, field)
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Returns the id in a field; undefined if there is none. */
export function idIn(object: unknown, field: string): string | number | bigint | undefined {
  const value = fieldOf(object, field)
  return ['string', 'number', 'bigint'].includes(typeof value) ? (value as string) : undefined
}

/** Returns the score for a distance in a field; nearer is better. */
export function nearnessIn(object: unknown, field: string): number | undefined {
  const distance = numberIn(object, field)
  return distance === undefined ? undefined : -distance
}

/**
 * Reads a dense vector in any of the forms that clients return; returns undefined for other values.
 */
export function denseVector(value: unknown): Vector | undefined {
  if (value instanceof Float32Array || value instanceof Float64Array) return value
  if (Array.isArray(value)) return typeof value[0] === 'number' ? value : undefined
  const toArray = fieldOf(value, 'toArray')
  // An Arrow column, which LanceDB returns.
  return typeof toArray === 'function' ? denseVector(toArray.call(value)) : undefined
}

/** Returns a query's vector and text; undefined for a missing part. */
export function partsOf(query: Query): { vector: Vector | undefined; text: Text | undefined } {
  const { vector, text } = (query ?? {}) as Partial<QueryViews>
  const views = vector !== undefined || text !== undefined
  return views
    ? { vector: vector ?? undefined, text: text ?? undefined }
    : { vector: query as Vector, text: undefined }
}

/**
 * Changes the embedding of a query: `openAdapter` of @kith/train opens an adapter from `kith
 * train`.
 */
export interface QueryAdapter {
  apply(vector: Vector): Float32Array
}

/** Returns the query with its vector changed by an adapter. */
export function adaptedQuery(query: Query, adapter: QueryAdapter | undefined): Query {
  if (adapter === undefined) return query
  if (typeof adapter?.apply !== 'function') {
    const problem = `option adapter must be an adapter, got ${adapter === null ? 'null' : typeof adapter}`
    throw new KithError('BAD_INPUT', `${problem}: pass await openAdapter(folder) of @kith/train`)
  }
  const { vector, text } = partsOf(query)
  if (vector === undefined) {
    const problem = 'option adapter changes the vector of the query, which has none'
    throw new KithError('BAD_INPUT', `${problem}: pass the vector, or leave out adapter`)
  }
  const own = adapter.apply(vector)
  const isVector = text === undefined && !('vector' in query)
  return isVector ? own : { ...(query as QueryViews), vector: own }
}

/**
 * Reads the texts of hits. Some hits may lack a text; if all do, the field is wrong, and this
 * function throws instead of hiding it.
 */
export function textsOf<Hit>(
  hits: readonly Hit[],
  { text, title }: Pick<Reader<Hit>, 'text' | 'title'>,
): (string | TitledText)[] {
  if (!text) {
    throw new KithError(
      'BAD_INPUT',
      'the query has a text, but the reader returns no texts of hits; name the field, such as { text: "body" }, or pass only the query’s vector',
    )
  }
  const texts = hits.map((hit) => text(hit) ?? '')
  if (hits.length > 0 && texts.every((one) => one === '')) {
    throw new KithError('BAD_INPUT', noTexts(hits[0]!, text, 'text'))
  }
  if (!title) return texts
  const titles = hits.map((hit) => title(hit) ?? '')
  // Merged lists may have no titles at all, but hits must have a title if the caller named the
  // field.
  if ('field' in title && hits.length > 0 && titles.every((one) => one === '')) {
    throw new KithError('BAD_INPUT', noTexts(hits[0]!, title, 'title'))
  }
  return texts.map((own, i) => (titles[i] === '' ? own : { title: titles[i]!, text: own }))
}

/**
 * Formats the error for missing texts, with the requested field and the fields of the first hit.
 */
function noTexts<Hit>(
  hit: Hit,
  read: NonNullable<Reader<Hit>['text']>,
  part: 'text' | 'title',
): string {
  const { field, fieldsOf = (own) => own } = read as Partial<FieldText<Hit>>
  const fields = Object.keys(fieldsOf(hit) ?? {})
  const where = field === undefined ? 'where the reader looks for it' : `in the field ${field}`
  const there = fields.length > 0 ? `the fields ${fields.join(', ')}` : 'no fields'
  return `no hit has a ${part} ${where}; hit 0 has ${there}; correct the name, or make the store return that field`
}

/** Returns the store's scores, higher is better; undefined if the reader reads no scores. */
export function scoresOf<Hit>(
  hits: readonly Hit[],
  { score, byScore = true }: Pick<Reader<Hit>, 'score' | 'byScore'>,
): RetrieverScores | undefined {
  const scores = score && hits.map((hit) => score(hit) ?? undefined)
  return scores && byScore ? higherIsBetter(scores) : scores
}

/**
 * Checks the vectors of hits; undefined if a hit has none. With texts, some hits may lack a vector,
 * such as hits of a keyword search. If all do, the store was not asked for vectors, and this
 * function throws instead of hiding it.
 *
 * @param advice The advice in the error message about a missing vector.
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
  throw new KithError('BAD_INPUT', `hit ${bare} has no dense vector; ${advice}`)
}
