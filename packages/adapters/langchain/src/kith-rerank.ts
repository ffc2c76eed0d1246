import {
  KithError,
  type ListOptions,
  type MethodSettings,
  type PartialMethodSettings,
  resolveMethodSettings,
  type TermStatistics,
  type Text,
  type Vector,
} from '@kith/core'
import {
  higherIsBetter,
  methodLooksAt,
  methodTable,
  type NamedParts,
  planVectors,
  type RetrieverScores,
  refuseIdle,
  refuseUnknown,
  warnMetric,
} from '@kith/core/internal'
import { Document, type DocumentInterface } from '@langchain/core/documents'
import type { EmbeddingsInterface } from '@langchain/core/embeddings'
import { BaseDocumentCompressor } from '@langchain/core/retrievers/document_compressors'
import { EmbeddingCache } from './embedding-cache.ts'

/** Options of `KithRerank`: the source of vectors, and the documents to return. */
export interface KithRerankOptions
  extends Pick<ListOptions, 'background' | 'calibration' | 'cutoff' | 'onTopic' | 'collapse'> {
  /** Embeds the query, and the documents without a vector; use the model that filled the store. */
  embeddings: EmbeddingsInterface
  /**
   * The document's vector: a key of its metadata, or a function. Documents without a vector are
   * embedded.
   */
  vector?: string | ((document: DocumentInterface) => Vector | undefined) | undefined
  /**
   * The retriever's score of a document: a key of its metadata, or a function. With it, only the
   * documents that texts and scores choose are embedded. `rerankResults` does not need this option.
   */
  score?: string | ((document: DocumentInterface) => number | undefined) | undefined
  /**
   * The document's title: a key of its metadata, or a function. A word in the title counts more than in
   * `pageContent`.
   */
  title?: string | ((document: DocumentInterface) => string | undefined) | undefined
  /**
   * The term statistics of the corpus, from `termStatistics` of @kith/core or `kith
   * term-statistics`. With them, the context is chosen from the first 200 documents instead of the
   * first 50.
   */
  statistics?: TermStatistics | undefined
  /** How many of the best documents to return. Default: all. */
  topN?: number | undefined
  /** How many vectors of queries and documents to cache. Default: 2,000. */
  cacheSize?: number | undefined
  /**
   * Settings that differ from the default, such as the settings of `kith tune`. With the paper's
   * settings, whose mix is `raw`, texts do not count.
   */
  settings?: PartialMethodSettings | undefined
}

const optionParts: NamedParts = {
  part: 'option of KithRerank',
  known: [
    'embeddings',
    'vector',
    'score',
    'title',
    'statistics',
    'topN',
    'background',
    'calibration',
    'cutoff',
    'onTopic',
    'collapse',
    'cacheSize',
    'settings',
  ],
  synonyms: {
    embeddings: ['embedding', 'model'],
    topN: ['topK', 'top', 'k'],
    statistics: ['termStatistics', 'terms'],
    cutoff: ['scoreThreshold', 'threshold', 'similarityThreshold', 'minScore'],
  },
}

/**
 * Reranks a retriever's documents by reciprocal neighbors, embeddings and texts. Retrieve about 50
 * documents, and keep the best:
 *
 * ```ts
 * const retriever = new ContextualCompressionRetriever({
 *   baseRetriever: store.asRetriever(50),
 *   baseCompressor: new KithRerank({ embeddings, topN: 5 }),
 * })
 * ```
 *
 * The metadata of a returned document has `relevanceScore`, the new score, `vectorScore`, its
 * similarity to the query before reranking, and with a `background` also `relevance`, the estimated
 * probability that it is relevant.
 */
export class KithRerank extends BaseDocumentCompressor {
  readonly #options: KithRerankOptions
  readonly #settings: MethodSettings
  readonly #cache: EmbeddingCache

  constructor(options: KithRerankOptions) {
    super()
    refuseUnknown(options ?? {}, optionParts)
    const { embeddings, topN = 1, cacheSize = 2000, settings, statistics } = options
    if (typeof embeddings?.embedQuery !== 'function') {
      throw new KithError('BAD_INPUT', 'embeddings must be an Embeddings instance of LangChain')
    }
    checkCount('topN', topN, 1)
    checkCount('cacheSize', cacheSize, 0)
    this.#options = options
    this.#settings = resolveMethodSettings(
      statistics === undefined ? settings : { ...settings, statistics },
    )
    refuseIdle(settings, this.#settings, { texts: true }, methodTable)
    this.#cache = new EmbeddingCache(embeddings, cacheSize)
  }

  /** Reranks documents in the order in which they were retrieved. */
  async compressDocuments(
    documents: DocumentInterface[],
    query: string,
  ): Promise<DocumentInterface[]> {
    const better = await this.#rerank(documents, query, this.#ownScores(documents))
    return better.map(([document]) => document)
  }

  /**
   * Reranks the result of a vector store's `similaritySearchWithScore`, best first. The store's own
   * score becomes `vectorScore`; the new score is also returned beside the document.
   */
  async rerankResults(
    results: readonly (readonly [DocumentInterface, number])[],
    query: string,
  ): Promise<[DocumentInterface, number][]> {
    const documents = results.map(([document]) => document)
    const scores = results.map(([, score]) => score)
    return this.#rerank(documents, query, scores)
  }

  async #rerank(
    documents: readonly DocumentInterface[],
    query: string,
    storeScores: RetrieverScores | undefined,
  ): Promise<[DocumentInterface, number][]> {
    if (documents.length === 0) return []
    const { topN } = this.#options
    const texts = this.#seesWords() ? this.#texts(documents) : undefined
    const looked = documents.slice(0, methodLooksAt(this.#settings, texts !== undefined))
    const own = looked.map((document) => this.#ownVector(document))
    // If all vectors are available, the vectors choose the documents instead of the scores.
    const scores = own.includes(undefined) ? storeScores && usable(storeScores) : undefined
    const plan = planVectors(query, { count: documents.length, texts, scores }, this.#settings)
    // Vectors of the other documents would cost time and change nothing.
    const [vector, vectors] = await Promise.all([
      this.#cache.query(query),
      this.#vectors(plan.chosen.map((index) => ({ ...looked[index]!, vector: own[index] }))),
    ])
    const { background, calibration, cutoff, onTopic, collapse } = this.#options
    const wanted = { background, calibration, cutoff, onTopic, collapse }
    const list = plan.list(vector, vectors, wanted)
    warnMetric(this.#settings.metric, list.metric, 'the documents')
    return list.hits.slice(0, topN).map(({ index, score, similarity, relevance }) => {
      const before = storeScores?.[index] ?? similarity
      return [withScores(documents[index]!, before, score, relevance), score]
    })
  }

  /**
   * Returns whether texts count: the paper's raw mix uses only the embeddings, but fusion always
   * needs texts.
   */
  #seesWords(): boolean {
    return this.#settings.mix !== 'raw' || this.#settings.method === 'fusion'
  }

  /** Returns the documents' texts, with their titles if the option `title` is set. */
  #texts(documents: readonly DocumentInterface[]): Text[] {
    const { title } = this.#options
    if (title === undefined) return documents.map(({ pageContent }) => pageContent)
    const read =
      typeof title === 'function' ? title : ({ metadata }: DocumentInterface) => metadata[title]
    return documents.map((document, index) => {
      const own: unknown = read(document) ?? undefined
      if (own !== undefined && typeof own !== 'string') {
        const problem = `the title of document ${index} must be a string, got ${String(own)}`
        throw new KithError('BAD_INPUT', problem)
      }
      return { title: own, text: document.pageContent }
    })
  }

  /** Returns the documents' own vectors, and embeds documents without a vector. */
  async #vectors(
    documents: readonly { pageContent: string; vector: Vector | undefined }[],
  ): Promise<Vector[]> {
    const bare = documents.filter(({ vector }) => vector === undefined)
    const made = await this.#cache.documents(bare.map(({ pageContent }) => pageContent))
    let next = 0
    return documents.map(({ vector }) => vector ?? made[next++]!)
  }

  #ownVector(document: DocumentInterface): Vector | undefined {
    const { vector } = this.#options
    if (typeof vector === 'function') return vector(document)
    return vector === undefined ? undefined : (document.metadata[vector] ?? undefined)
  }

  /** Returns the retriever's scores; undefined without the option `score`. */
  #ownScores(documents: readonly DocumentInterface[]): RetrieverScores | undefined {
    const { score } = this.#options
    if (score === undefined) return undefined
    const read =
      typeof score === 'function' ? score : ({ metadata }: DocumentInterface) => metadata[score]
    return documents.map((document, index) => {
      const value: unknown = read(document) ?? undefined
      if (value === undefined || typeof value === 'number') return value
      const problem = `the score of document ${index} must be a number, got ${String(value)}`
      throw new KithError('BAD_INPUT', problem)
    })
  }
}

/** Converts scores so that higher is better, and removes scores that are not finite. */
function usable(scores: RetrieverScores): RetrieverScores {
  return higherIsBetter(scores.map((score) => (Number.isFinite(score) ? score : undefined)))
}

/**
 * Copies a document and adds the scores: the documents belong to the retriever, which may keep
 * them.
 */
function withScores(
  document: DocumentInterface,
  vectorScore: number | undefined,
  relevanceScore: number,
  relevance?: number,
): DocumentInterface {
  const before = vectorScore === undefined ? {} : { vectorScore }
  const estimate = relevance === undefined ? {} : { relevance }
  return new Document({
    ...document,
    metadata: { ...document.metadata, ...before, relevanceScore, ...estimate },
  })
}

function checkCount(name: string, value: number, from: number): void {
  if (Number.isInteger(value) && value >= from) return
  throw new KithError(
    'BAD_SETTING',
    `${name} must be a whole number of at least ${from}, got ${value}`,
  )
}
