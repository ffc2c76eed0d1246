import {
  extendRanking,
  KithError,
  type MethodSettings,
  type PartialMethodSettings,
  rerank,
  resolveMethodSettings,
  type Vector,
} from '@kith/core'
import { type NamedParts, refuseUnknown } from '@kith/core/internal'
import { Document, type DocumentInterface } from '@langchain/core/documents'
import type { EmbeddingsInterface } from '@langchain/core/embeddings'
import { BaseDocumentCompressor } from '@langchain/core/retrievers/document_compressors'
import { EmbeddingCache } from './embedding-cache.ts'
import { vectorScore } from './vector-score.ts'

/** Options of `KithRerank`: where vectors come from, and what is returned. */
export interface KithRerankOptions {
  /** Embeds the query, and the documents that bring no vector: the model that filled the store. */
  embeddings: EmbeddingsInterface
  /** Where a document's vector is: a key of its metadata, or a function. Documents without one are embedded. */
  vector?: string | ((document: DocumentInterface) => Vector | undefined) | undefined
  /** How many of the best documents to return; by default all. */
  topN?: number | undefined
  /** Documents with a lower `relevanceScore` are left out. 0 is about the average of a query's documents. */
  scoreThreshold?: number | undefined
  /** How many vectors of queries and documents to remember; by default 2,000. */
  cacheSize?: number | undefined
  /**
   * Settings that differ from the default, such as those that `kith tune` found. With the paper's,
   * whose mix is `raw`, words do not count.
   */
  settings?: PartialMethodSettings | undefined
}

const optionParts: NamedParts = {
  part: 'option of KithRerank',
  known: ['embeddings', 'vector', 'topN', 'scoreThreshold', 'cacheSize', 'settings'],
  synonyms: {
    embeddings: ['embedding', 'model'],
    topN: ['topK', 'top', 'k'],
    scoreThreshold: ['threshold', 'similarityThreshold', 'minScore'],
  },
}

/**
 * Reranks a retriever's documents by reciprocal neighbours among them, seen through
 * their embeddings and their words. Retrieve about 50, keep the best:
 *
 * ```ts
 * const retriever = new ContextualCompressionRetriever({
 *   baseRetriever: store.asRetriever(50),
 *   baseCompressor: new KithRerank({ embeddings, topN: 5 }),
 * })
 * ```
 *
 * A returned document's metadata has `relevanceScore`, the new score, and
 * `vectorScore`, its similarity to the query before reranking.
 */
export class KithRerank extends BaseDocumentCompressor {
  readonly #options: KithRerankOptions
  readonly #settings: MethodSettings
  readonly #cache: EmbeddingCache

  constructor(options: KithRerankOptions) {
    super()
    refuseUnknown(options ?? {}, optionParts)
    const { embeddings, topN = 1, cacheSize = 2000, settings } = options
    if (typeof embeddings?.embedQuery !== 'function') {
      throw new KithError('BAD_INPUT', 'embeddings must be an Embeddings instance of LangChain')
    }
    checkCount('topN', topN, 1)
    checkCount('cacheSize', cacheSize, 0)
    this.#options = options
    this.#settings = resolveMethodSettings(settings)
    this.#cache = new EmbeddingCache(embeddings, cacheSize)
  }

  /** Reranks documents that stand in the order in which they were retrieved. */
  async compressDocuments(
    documents: DocumentInterface[],
    query: string,
  ): Promise<DocumentInterface[]> {
    return (await this.#rerank(documents, query)).map(([document]) => document)
  }

  /**
   * Reranks the result of a vector store's `similaritySearchWithScore`, best first. The
   * store's own score becomes `vectorScore`; the new one stands beside the document too.
   */
  async rerankResults(
    results: readonly (readonly [DocumentInterface, number])[],
    query: string,
  ): Promise<[DocumentInterface, number][]> {
    const documents = results.map(([document]) => document)
    return this.#rerank(documents, query, (index) => results[index]![1])
  }

  async #rerank(
    documents: readonly DocumentInterface[],
    query: string,
    storeScore?: (index: number) => number,
  ): Promise<[DocumentInterface, number][]> {
    if (documents.length === 0) return []
    const { topN, scoreThreshold = -Infinity } = this.#options
    // Those behind the context keep their order: their vectors would cost, and change nothing.
    const context = documents.slice(0, this.#settings.contextSize)
    const [vector, vectors] = await Promise.all([this.#cache.query(query), this.#vectors(context)])
    const texts = this.#seesWords() ? context.map(({ pageContent }) => pageContent) : undefined
    const ranking = rerank({ vector, text: query }, { vectors, texts }, this.#settings)
    const { order, scores } = extendRanking(ranking, documents.length)
    const better: [DocumentInterface, number][] = []
    for (const [place, index] of order.entries()) {
      const score = scores[place]!
      if (place === topN || score < scoreThreshold) break
      const known = vectors[index]
      const before =
        storeScore?.(index) ?? (known && vectorScore(vector, known, this.#settings.metric))
      better.push([withScores(documents[index]!, before, score), score])
    }
    return better
  }

  /** The paper's raw mix has one view, the embeddings; fusion is nothing without the other. */
  #seesWords(): boolean {
    return this.#settings.mix === 'standard' || this.#settings.method === 'fusion'
  }

  /** The documents' own vectors, and embeddings of those that have none. */
  async #vectors(documents: readonly DocumentInterface[]): Promise<Vector[]> {
    const own = documents.map((document) => this.#ownVector(document))
    const bare = documents.filter((_, i) => own[i] === undefined)
    const made = await this.#cache.documents(bare.map(({ pageContent }) => pageContent))
    let next = 0
    return own.map((vector) => vector ?? made[next++]!)
  }

  #ownVector(document: DocumentInterface): Vector | undefined {
    const { vector } = this.#options
    if (typeof vector === 'function') return vector(document)
    return vector === undefined ? undefined : (document.metadata[vector] ?? undefined)
  }
}

/** A copy: the documents belong to the retriever, which may keep them. */
function withScores(
  document: DocumentInterface,
  vectorScore: number | undefined,
  relevanceScore: number,
): DocumentInterface {
  const before = vectorScore === undefined ? {} : { vectorScore }
  return new Document({
    ...document,
    metadata: { ...document.metadata, ...before, relevanceScore },
  })
}

function checkCount(name: string, value: number, from: number): void {
  if (Number.isInteger(value) && value >= from) return
  throw new KithError('BAD_SETTING', `${name} is ${value}, allowed: whole numbers from ${from}`)
}
