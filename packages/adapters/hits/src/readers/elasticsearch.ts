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

/** A hit as Elasticsearch and OpenSearch return it. */
export interface ElasticsearchHit {
  _source?: unknown
}

/**
 * Reads hits of Elasticsearch, `response.hits.hits`, from their `_source`. From
 * version 9.2 on it leaves vectors out unless told `_source: { exclude_vectors: false }`.
 *
 * @param fields The fields; the vector's is `embedding` unless told otherwise.
 */
export function elasticsearch(fields: Fields = {}): Reader<ElasticsearchHit> {
  checkFields(fields, 'elasticsearch', ['vector', 'text'])
  const { vector = 'embedding', text } = fields
  return {
    vector: (hit) => denseVector(fieldOf(hit._source, vector)),
    text: textIn(text, (hit) => hit._source),
    // Of an rrf retriever before version 8.15 hits have a rank only.
    score: (hit) => numberIn(hit, '_score') ?? nearnessIn(hit, '_rank'),
    id: (hit) => idIn(hit, '_id'),
    advice: `search with _source: { exclude_vectors: false } (OpenSearch: _source: true) and name the field, here ${vector}`,
  }
}

/** Reads hits of OpenSearch, `response.body.hits.hits`, which have Elasticsearch's form. */
export const opensearch: typeof elasticsearch = elasticsearch
