/**
 * Reranks hits as vector stores return them. No client is imported: hits are recognized by their
 * shape.
 */
export type { HitListOptions, RerankedHit } from './hit-list.ts'
export {
  type LancedbBatch,
  type LancedbReranker,
  type LancedbRerankerOptions,
  lancedbReranker,
} from './lancedb-reranker.ts'
export { type HitList, type ListReader, type MergedHit, mergeHits } from './merge-hits.ts'
export type { Fields, Reader, RowFields, TextField } from './reader.ts'
export {
  type ChromaHit,
  chroma,
  type DistanceFields,
  type ElasticsearchHit,
  elasticsearch,
  lancedb,
  type MilvusFields,
  merged,
  milvus,
  opensearch,
  type PineconeHit,
  pgvector,
  pinecone,
  type QdrantHit,
  qdrant,
  sqliteVec,
  type WeaviateHit,
  weaviate,
} from './readers.ts'
export { type FetchedReader, type RerankFetchedOptions, rerankFetched } from './rerank-fetched.ts'
export { type RerankHitsOptions, rerankHits } from './rerank-hits.ts'
