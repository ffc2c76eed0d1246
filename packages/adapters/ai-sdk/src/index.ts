/** Kith for the AI SDK: a reranking model without a cross-encoder. */
export type { Embed, EmbedOptions, ObjectReader, TextOf } from './documents.ts'
export type { RelevanceOptions } from './rank-documents.ts'
export { createKith, type Kith, type RerankingOptions } from './reranking-model.ts'
