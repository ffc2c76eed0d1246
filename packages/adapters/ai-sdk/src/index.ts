/** Kith for the AI SDK: a reranking model without a cross-encoder. */
export type { TextOf } from './documents.ts'
export type { Embed, EmbedOptions } from './embed.ts'
export { createKith, type Kith } from './kith.ts'
export type { RerankingOptions } from './reranking-model.ts'
