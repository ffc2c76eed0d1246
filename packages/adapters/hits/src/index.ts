/** Rerank hits as vector stores return them. No client is imported: hits are read by their form. */
export {
  type LancedbBatch,
  type LancedbReranker,
  type LancedbRerankerOptions,
  lancedbReranker,
} from './lancedb-reranker.ts'
export { type HitList, type ListReader, type MergedHit, mergeHits } from './merge-hits.ts'
export type { RerankHitsOptions } from './options.ts'
export type { Fields, Reader, RowFields, TextField } from './reader.ts'
export { type ChromaHit, chroma } from './readers/chroma.ts'
export { type ElasticsearchHit, elasticsearch, opensearch } from './readers/elasticsearch.ts'
export { lancedb } from './readers/lancedb.ts'
export { merged } from './readers/merged.ts'
export { type PgvectorFields, pgvector } from './readers/pgvector.ts'
export { type PineconeHit, pinecone } from './readers/pinecone.ts'
export { type QdrantHit, qdrant } from './readers/qdrant.ts'
export { type WeaviateHit, weaviate } from './readers/weaviate.ts'
export { type FetchedReader, type RerankFetchedOptions, rerankFetched } from './rerank-fetched.ts'
export { rerankHits } from './rerank-hits.ts'
export type { RerankedHit } from './reranked-hit.ts'
