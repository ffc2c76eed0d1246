import { checkFields } from '../check-arguments.ts'
import {
  denseVector,
  type Fields,
  fieldOf,
  idIn,
  numberIn,
  type Reader,
  textIn,
} from '../reader.ts'

/** A point as Qdrant's `query` and `search` return it. */
export interface QdrantHit {
  /** A vector, or vectors by name. */
  vector?: object | null | undefined
  payload?: object | null | undefined
}

/**
 * Reads Qdrant's points: ask for them with `with_vector: true` and `with_payload: true`.
 *
 * @param fields `vector` is the name of a named vector; `text` a key of the payload.
 */
export function qdrant(fields: Fields = {}): Reader<QdrantHit> {
  checkFields(fields, 'qdrant', ['vector', 'text'])
  const { vector, text } = fields
  return {
    vector: (hit) => denseVector(vector === undefined ? hit.vector : fieldOf(hit.vector, vector)),
    text: textIn(text, (hit) => hit.payload),
    score: (hit) => numberIn(hit, 'score'),
    id: (hit) => idIn(hit, 'id'),
    advice:
      'query Qdrant with with_vector: true, and name the vector if the collection has several',
  }
}
