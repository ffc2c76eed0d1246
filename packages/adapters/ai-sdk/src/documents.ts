import type { JSONObject, JSONValue, RerankingModelV3CallOptions } from '@ai-sdk/provider'
import { KithError, type Matrix, type Vector, type Vectors } from '@kith/core'

/** A document for the method: its text, and its vector if it has one. */
export interface RerankDocument {
  text: string
  /** The title; a word counts more in the title than in the text. */
  title?: string | undefined
  /** The text to embed; by default `text`. It differs if it includes a title. */
  whole?: string | undefined
  vector: Vector | undefined
}

/** Returns the text or the title of an object. */
export type TextOf = (document: JSONObject) => string

/** How to read documents that are objects. */
export interface ObjectReader {
  /** Returns the text of an object document. Default: all its strings. */
  text?: TextOf | undefined
  /**
   * Returns the title of an object document; a word counts more in the title than in the text.
   * Default, without `text`: its string `title`.
   */
  title?: TextOf | undefined
}

/** Reads documents in either of the forms that `rerank()` accepts. */
export function readDocuments(
  documents: RerankingModelV3CallOptions['documents'],
  { text, title = text ? undefined : titleOf }: ObjectReader = {},
): RerankDocument[] {
  if (documents.type === 'text') {
    return documents.values.map((text) => ({ text, vector: undefined }))
  }
  return documents.values.map((document, index) => {
    const own = title?.(document) || undefined
    const whole = text ? text(document) : stringsOf(document, undefined)
    return {
      text: text ? whole : stringsOf(document, own),
      title: own,
      whole,
      vector: vectorOf(document['embedding'], `document ${index}`),
    }
  })
}

/** Reads a vector in JSON; returns undefined if there is none. */
export function vectorOf(value: JSONValue | undefined, whose: string): number[] | undefined {
  if (value === undefined || value === null) return undefined
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'number')) {
    return value as number[]
  }
  throw new KithError('BAD_INPUT', `the embedding of ${whose} must be an array of numbers`)
}

/** Reads a store's scores in JSON, one per document; returns undefined if there are none. */
export function scoresOf(value: JSONValue | undefined, documents: number): number[] | undefined {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value) || !value.every((one) => Number.isFinite(one))) {
    throw new KithError('BAD_INPUT', 'the scores of the documents must be an array of numbers')
  }
  if (value.length !== documents) {
    const problem = `expected ${documents} scores, one per document, got ${value.length}`
    throw new KithError('BAD_SHAPE', problem)
  }
  return value as number[]
}

function titleOf({ title }: JSONObject): string {
  return typeof title === 'string' ? title : ''
}

/** Joins all strings of an object, except its title. */
function stringsOf(document: JSONObject, title: string | undefined): string {
  return Object.entries(document)
    .filter(([, value]) => typeof value === 'string')
    .filter(([name, value]) => name !== 'title' || value !== title)
    .map(([, value]) => value)
    .join('\n')
}

/**
 * The role of the texts, for models that treat queries and documents differently, and a signal to
 * stop.
 */
export interface EmbedOptions {
  role: 'query' | 'document'
  signal: AbortSignal | undefined
}

/** Embeds texts: returns an array of vectors, or a matrix as in @kith/encoder. */
export type Embed = (texts: string[], options: EmbedOptions) => PromiseLike<Vectors>

/**
 * Completes the known vectors with embeddings of the texts that have none.
 *
 * @param name Returns the name of the text at an index, for messages.
 */
export async function completeVectors(
  embed: Embed | undefined,
  texts: readonly RerankDocument[],
  options: EmbedOptions,
  name: (index: number) => string,
): Promise<Vector[]> {
  const missing = texts.flatMap(({ vector }, index) => (vector === undefined ? [index] : []))
  const vectors = texts.map(({ vector }) => vector)
  if (missing.length === 0) return vectors as Vector[]
  if (!embed) {
    throw new KithError(
      'BAD_INPUT',
      `${name(missing[0]!)} has no embedding; pass an embed function to createKith, or documents with an embedding and the query’s embedding in providerOptions: { kith: { embedding } }`,
    )
  }
  const answer = await embed(
    missing.map((index) => texts[index]!.whole ?? texts[index]!.text),
    options,
  )
  const made = Array.isArray(answer) ? answer : rowsOf(answer as Matrix)
  if (made.length !== missing.length) {
    const counts = `${missing.length} vectors, one per text, got ${made.length}`
    throw new KithError('BAD_SHAPE', `embed must return ${counts}`)
  }
  for (const [i, index] of missing.entries()) vectors[index] = made[i]
  return vectors as Vector[]
}

function rowsOf({ data, rows, dimensions }: Matrix): Float32Array[] {
  return Array.from({ length: rows }, (_, i) => data.subarray(i * dimensions, (i + 1) * dimensions))
}
