import { checkFields } from '../check-arguments.ts'
import {
  denseVector,
  type Fields,
  fieldOf,
  idIn,
  nearnessIn,
  numberIn,
  type Reader,
  textIn,
} from '../reader.ts'

/** An object as Weaviate's queries return it. */
export interface WeaviateHit {
  /** Vectors by name. */
  vectors?: object | undefined
  properties?: object | undefined
}

/**
 * Reads Weaviate's objects: ask for them with `includeVector: true`, and for their scores with
 * `returnMetadata: ['distance']` or, of a hybrid search, `['score']`.
 *
 * @param fields `vector` is the name of a named vector; `text` a property.
 */
export function weaviate(fields: Fields = {}): Reader<WeaviateHit> {
  checkFields(fields, 'weaviate', ['vector', 'text'])
  const { vector = 'default', text } = fields
  return {
    vector: (object) => denseVector(fieldOf(object.vectors, vector)),
    text: textIn(text, (object) => object.properties),
    // Of a hybrid search or one for words, of one for vectors.
    score: (object) => {
      const metadata = fieldOf(object, 'metadata')
      return numberIn(metadata, 'score') ?? nearnessIn(metadata, 'distance')
    },
    id: (object) => idIn(object, 'uuid'),
    advice: `query Weaviate with includeVector: true; the vector ${vector} must be a single one`,
  }
}
