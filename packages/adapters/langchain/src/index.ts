/** Kith for LangChain: a document compressor that reranks. */
export { KithRerank, type KithRerankOptions } from './kith-rerank.ts'
