import type { JSONObject, JSONValue, RerankingModelV3CallOptions } from '@ai-sdk/provider'
import { KithError } from '@kith/core'

/** A document for the method: its words, and its vector where it has one. */
export interface RerankDocument {
  text: string
  vector: number[] | undefined
}

/** The text of an object: its strings, unless the user says which. */
export type TextOf = (document: JSONObject) => string

/** Reads documents in either of the forms that `rerank()` takes. */
export function readDocuments(
  documents: RerankingModelV3CallOptions['documents'],
  textOf: TextOf = stringsOf,
): RerankDocument[] {
  if (documents.type === 'text') {
    return documents.values.map((text) => ({ text, vector: undefined }))
  }
  return documents.values.map((document, index) => ({
    text: textOf(document),
    vector: vectorOf(document['embedding'], `document ${index}`),
  }))
}

/** A vector in JSON; undefined where there is none. */
export function vectorOf(value: JSONValue | undefined, whose: string): number[] | undefined {
  if (value === undefined || value === null) return undefined
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'number')) {
    return value as number[]
  }
  throw new KithError('BAD_INPUT', `the embedding of ${whose} must be an array of numbers`)
}

/** A store's scores in JSON, one for each document; undefined where there are none. */
export function scoresOf(value: JSONValue | undefined, documents: number): number[] | undefined {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value) || !value.every((one) => Number.isFinite(one))) {
    throw new KithError('BAD_INPUT', 'the scores of the documents must be an array of numbers')
  }
  if (value.length !== documents) {
    const problem = `there are ${value.length} scores for ${documents} documents`
    throw new KithError('BAD_SHAPE', problem)
  }
  return value as number[]
}

function stringsOf(document: JSONObject): string {
  return Object.values(document)
    .filter((value) => typeof value === 'string')
    .join('\n')
}
