import { checkFields } from './check-arguments.ts'
import type { MergedHit } from './merge-hits.ts'
import {
  denseVector,
  type Fields,
  fieldOf,
  idIn,
  nearnessIn,
  numberIn,
  type Reader,
  type RowFields,
  type TextField,
  textIn,
} from './reader.ts'

/** A row of Chroma's query result. */
export interface ChromaHit {
  embedding?: readonly number[] | null | undefined
  document?: string | null | undefined
  metadata?: object | null | undefined
}

/**
 * Reads rows of Chroma, such as `result.rows()[0]` for the first query. Request them with `include:
 * ['embeddings', 'documents']`, and with `'distances'` for their scores.
 *
 * ```ts
 * const better = rerankHits({ vector, text }, hits, chroma())
 * ```
 *
 * @param fields `title` is a key of the metadata: request it with `'metadatas'`.
 */
export function chroma(fields: Pick<TextField, 'title'> = {}): Reader<ChromaHit> {
  checkFields(fields, 'chroma', ['title'])
  return {
    vector: (row) => denseVector(row.embedding),
    text: (row) => row.document ?? undefined,
    title: textIn(fields.title, (row) => row.metadata),
    score: (row) => nearnessIn(row, 'distance'),
    id: (row) => idIn(row, 'id'),
    advice: "query Chroma with include: ['embeddings', 'documents']",
  }
}

/** A hit as Elasticsearch and OpenSearch return it. */
export interface ElasticsearchHit {
  _source?: unknown
}

/**
 * Reads hits of Elasticsearch, `response.hits.hits`, from their `_source`. Since version 9.2,
 * Elasticsearch returns vectors only with `_source: { exclude_vectors: false }`.
 *
 * ```ts
 * const better = rerankHits({ vector, text }, response.hits.hits, elasticsearch({ text: 'body' }))
 * ```
 *
 * @param fields The fields; the default field of the vector is `embedding`.
 */
export function elasticsearch(fields: Fields = {}): Reader<ElasticsearchHit> {
  checkFields(fields, 'elasticsearch', ['vector', 'text', 'title'])
  const { vector = 'embedding', text, title } = fields
  return {
    vector: (hit) => denseVector(fieldOf(hit._source, vector)),
    text: textIn(text, (hit) => hit._source),
    title: textIn(title, (hit) => hit._source),
    // Hits of an rrf retriever before version 8.15 have only a rank.
    score: (hit) => numberIn(hit, '_score') ?? nearnessIn(hit, '_rank'),
    id: (hit) => idIn(hit, '_id'),
    advice: `search with _source: { exclude_vectors: false } (OpenSearch: _source: true) and name the field, here ${vector}`,
  }
}

/**
 * Reads hits of OpenSearch, `response.body.hits.hits`, which have the same shape as hits of
 * Elasticsearch.
 *
 * ```ts
 * const found = response.body.hits.hits
 * const better = rerankHits({ vector, text }, found, opensearch({ text: 'body' }))
 * ```
 */
export const opensearch: typeof elasticsearch = elasticsearch

/**
 * Reads rows of LanceDB, as `toArray()` of a query returns them; a query that selects columns must
 * also select the vector.
 *
 * ```ts
 * const better = rerankHits({ vector, text }, rows, lancedb({ text: 'body' }))
 * ```
 *
 * @param fields The columns; the default column of the vector is `vector`.
 */
export function lancedb(fields: RowFields = {}): Reader<object> {
  checkFields(fields, 'lancedb', ['vector', 'text', 'title', 'id'])
  const { vector = 'vector', text, title, id = 'id' } = fields
  return {
    vector: (row) => denseVector(fieldOf(row, vector)),
    text: textIn(text, (row) => row),
    title: textIn(title, (row) => row),
    // The scores of a hybrid search, of a full-text search, or of a vector search.
    score: (row) =>
      numberIn(row, '_relevance_score') ?? numberIn(row, '_score') ?? nearnessIn(row, '_distance'),
    id: (row) => idIn(row, id),
    advice: `select the column ${vector}, of float32 or float64`,
  }
}

/**
 * Reads the hits that `mergeHits` creates from several lists.
 *
 * ```ts
 * const hits = mergeHits([{ hits: points, reader: qdrant({ text: 'body' }) }, { hits: rows, reader: pgvector({ text: 'body' }) }])
 * const better = rerankHits({ vector, text }, hits, merged())
 * ```
 */
export function merged(): Reader<MergedHit> {
  return {
    vector: (hit) => hit.vector,
    text: (hit) => hit.text,
    title: (hit) => hit.title,
    score: (hit) => hit.similarity,
    byScore: false,
    id: (hit) => hit.id,
    advice:
      'make the stores return the vectors of their hits, or fetch the vectors with rerankFetched',
  }
}

/** The fields of a Milvus entity. */
export interface MilvusFields extends RowFields {
  /** Whether scores are distances, as with the metric L2. Default: false. */
  distances?: boolean | undefined
}

/**
 * Reads hits of Milvus, `results` of a search. Request the vector and the text with
 * `output_fields`.
 *
 * ```ts
 * const better = rerankHits({ vector, text }, rows, milvus({ text: 'body' }))
 * ```
 *
 * @param fields The fields; the default field of the vector is `vector`.
 */
export function milvus(fields: MilvusFields = {}): Reader<object> {
  checkFields(fields, 'milvus', ['vector', 'text', 'title', 'id', 'distances'])
  const { vector = 'vector', text, title, id = 'id', distances = false } = fields
  const scoreIn = distances ? nearnessIn : numberIn
  return {
    vector: (hit) => denseVector(fieldOf(hit, vector)),
    text: textIn(text, (hit) => hit),
    title: textIn(title, (hit) => hit),
    score: (hit) => scoreIn(hit, 'score'),
    id: (hit) => idIn(hit, id),
    advice: `search Milvus with output_fields that name ${vector}`,
  }
}

/** The columns of a row, including the distance to the query. */
export interface DistanceFields extends RowFields {
  /** The column with the distance to the query, such as `embedding <=> $1 AS distance`. */
  distance?: string | undefined
}

/**
 * Reads rows of PostgreSQL with pgvector; also select the vector's column. The column may be a
 * `vector` or a `halfvec`, parsed by the driver or in PostgreSQL's own notation.
 *
 * ```ts
 * const better = rerankHits({ vector, text }, rows, pgvector({ text: 'body' }))
 * ```
 *
 * @param fields The columns; the default column of the vector is `embedding`.
 */
export function pgvector(fields: DistanceFields = {}): Reader<object> {
  checkFields(fields, 'pgvector', ['vector', 'text', 'title', 'distance', 'id'])
  const { vector = 'embedding', text, title, distance, id = 'id' } = fields
  return {
    vector: (row) => {
      const value = fieldOf(row, vector)
      return denseVector(typeof value === 'string' ? parsed(value) : value)
    },
    text: textIn(text, (row) => row),
    title: textIn(title, (row) => row),
    score: distance === undefined ? undefined : (row) => nearnessIn(row, distance),
    id: (row) => idIn(row, id),
    advice: `select the column ${vector} as a vector or halfvec`,
  }
}

/** Parses a vector in PostgreSQL's notation, such as [1,2.5,-3e-05], which is valid JSON. */
function parsed(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

/** A match as Pinecone's `query` returns it. */
export interface PineconeHit {
  values?: readonly number[] | undefined
  metadata?: object | undefined
}

/**
 * Reads Pinecone's matches. Request them with `includeValues: true` and `includeMetadata: true`.
 *
 * ```ts
 * const better = rerankHits({ vector, text }, matches, pinecone({ text: 'body' }))
 * ```
 *
 * @param fields `text` and `title` are keys of the metadata.
 */
export function pinecone(fields: TextField = {}): Reader<PineconeHit> {
  checkFields(fields, 'pinecone', ['text', 'title'])
  const { text, title } = fields
  return {
    vector: (match) => denseVector(match.values),
    text: textIn(text, (match) => match.metadata),
    title: textIn(title, (match) => match.metadata),
    score: (match) => numberIn(match, 'score'),
    id: (match) => idIn(match, 'id'),
    advice: 'query Pinecone with includeValues: true',
  }
}

/** A point as Qdrant's `query` and `search` return it. */
export interface QdrantHit {
  /** A vector, or vectors by name. */
  vector?: object | null | undefined
  payload?: object | null | undefined
}

/**
 * Reads Qdrant's points. Request them with `with_vector: true` and `with_payload: true`.
 *
 * ```ts
 * const better = rerankHits({ vector, text }, points, qdrant({ text: 'body' }))
 * ```
 *
 * @param fields `vector` is the name of a named vector; `text` and `title` are keys of the payload.
 */
export function qdrant(fields: Fields = {}): Reader<QdrantHit> {
  checkFields(fields, 'qdrant', ['vector', 'text', 'title'])
  const { vector, text, title } = fields
  return {
    vector: (hit) => denseVector(vector === undefined ? hit.vector : fieldOf(hit.vector, vector)),
    text: textIn(text, (hit) => hit.payload),
    title: textIn(title, (hit) => hit.payload),
    score: (hit) => numberIn(hit, 'score'),
    id: (hit) => idIn(hit, 'id'),
    advice:
      'query Qdrant with with_vector: true, and name the vector if the collection has several',
  }
}

/**
 * Reads rows of SQLite with sqlite-vec; also select the vector's column. The vector may be a blob
 * of float32 numbers, as sqlite-vec stores it, or the text of `vec_to_json`.
 *
 * ```ts
 * const better = rerankHits({ vector, text }, rows, sqliteVec({ text: 'body' }))
 * ```
 *
 * @param fields The columns; `embedding`, `distance` and `rowid` by default.
 */
export function sqliteVec(fields: DistanceFields = {}): Reader<object> {
  checkFields(fields, 'sqliteVec', ['vector', 'text', 'title', 'distance', 'id'])
  const { vector = 'embedding', text, title, distance = 'distance', id = 'rowid' } = fields
  return {
    vector: (row) => {
      const value = fieldOf(row, vector)
      if (typeof value === 'string') return denseVector(parsed(value))
      return denseVector(value instanceof Uint8Array ? floatsIn(value) : value)
    },
    text: textIn(text, (row) => row),
    title: textIn(title, (row) => row),
    score: (row) => nearnessIn(row, distance),
    id: (row) => idIn(row, id),
    advice: `select the column ${vector}, of float32 numbers`,
  }
}

/**
 * Reads the float32 numbers of a blob, in the byte order of sqlite-vec; returns undefined for other
 * blobs.
 */
function floatsIn(blob: Uint8Array): Float32Array | undefined {
  if (blob.length === 0 || blob.length % 4 !== 0) return undefined
  const view = new DataView(blob.buffer, blob.byteOffset, blob.length)
  return Float32Array.from({ length: blob.length / 4 }, (_, i) => view.getFloat32(i * 4, true))
}

/** An object as Weaviate's queries return it. */
export interface WeaviateHit {
  /** Vectors by name. */
  vectors?: object | undefined
  properties?: object | undefined
}

/**
 * Reads Weaviate's objects. Request them with `includeVector: true`, and their scores with
 * `returnMetadata: ['distance']` or, for a hybrid search, `['score']`.
 *
 * ```ts
 * const better = rerankHits({ vector, text }, objects, weaviate({ text: 'body' }))
 * ```
 *
 * @param fields `vector` is the name of a named vector; `text` and `title` are properties.
 */
export function weaviate(fields: Fields = {}): Reader<WeaviateHit> {
  checkFields(fields, 'weaviate', ['vector', 'text', 'title'])
  const { vector = 'default', text, title } = fields
  return {
    vector: (object) => denseVector(fieldOf(object.vectors, vector)),
    text: textIn(text, (object) => object.properties),
    title: textIn(title, (object) => object.properties),
    // The score of a hybrid or keyword search, or the distance of a vector search.
    score: (object) => {
      const metadata = fieldOf(object, 'metadata')
      return numberIn(metadata, 'score') ?? nearnessIn(metadata, 'distance')
    },
    id: (object) => idIn(object, 'uuid'),
    advice: `query Weaviate with includeVector: true; the vector ${vector} must be a single one`,
  }
}
