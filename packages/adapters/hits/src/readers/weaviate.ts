import { checkFields } from '../check-arguments.ts'
import { denseVector, type Fields, fieldOf, type Reader, textIn } from '../reader.ts'

/** An object as Weaviate's queries return it. */
export interface WeaviateHit {
  /** Vectors by name. */
  vectors?: object | undefined
  properties?: object | undefined
}

/**
 * Reads Weaviate's objects: ask for them with `includeVector: true`.
 *
 * @param fields `vector` is the name of a named vector; `text` a property.
 */
export function weaviate(fields: Fields = {}): Reader<WeaviateHit> {
  checkFields(fields, 'weaviate', ['vector', 'text'])
  const { vector = 'default', text } = fields
  return {
    vector: (object) => denseVector(fieldOf(object.vectors, vector)),
    text: textIn(text, (object) => object.properties),
    advice: `query Weaviate with includeVector: true; the vector ${vector} must be a single one`,
  }
}
