import {
  type CandidateViews,
  type ListOptions,
  type MetricUse,
  type Ranking,
  Reranker,
  type Settings,
  type Shortlist,
  shortlist,
  type TitledText,
  type Vector,
} from '@kith/core'
import { compareProducts, planVectors, queryProducts } from '@kith/core/internal'
import type { Role } from '@kith/encoder'
import { fittingBackground, wholeText } from '@kith/stores/internal'
import type { TextEmbedder } from './embedder.ts'
import { countCutTokens } from './limits.ts'
import { Problem } from './problem.ts'
import { checkEmbedding, checkSquare, type Embedding, type Item } from './routes/item.ts'
import type { Call } from './routes/route.ts'
import type { DocumentSearcher, Hit } from './searcher.ts'

/**
 * A ranking, the tokens that the encoder read for it, and the sources of the documents' embeddings.
 */
export interface Ranked extends RankedList {
  /** The similarity of every document to the query, in the order of the ranking. */
  similarities: Float32Array
  tokens: number
  embeddings: EmbeddingSources
}

/**
 * How many documents came with an embedding, were found in the store by their texts, or were
 * encoded.
 */
export interface EmbeddingSources {
  given: number
  found: number
  encoded: number
}

/** The embedding of an item, its source, and the tokens that the encoder read. */
interface Embedded {
  embedding: Embedding
  tokens: number
  from: keyof EmbeddingSources
}

/** A ranking with the estimated relevance of each hit, if it is known. */
export interface RankedList extends Ranking {
  /**
   * The estimated relevance of the top hits, in the order of the ranking; undefined without a
   * background or texts.
   */
  relevances?: readonly (number | undefined)[] | undefined
  /**
   * The duplicates of each document, in the order of the ranking; undefined unless duplicates are
   * folded.
   */
  duplicates?: readonly number[][] | undefined
  /**
   * Further documents of each document's group, in the order of the ranking; undefined without
   * groups.
   */
  others?: readonly number[][] | undefined
  /** The probability that the query is on topic, if the request asks for it. */
  onTopic?: number | undefined
}

/** The background and calibration of estimated relevance. */
export type RelevanceScale = Pick<ListOptions, 'background' | 'calibration'>

/** The parts of a call that embedding its texts needs. */
type EmbeddingCall = Pick<Call, 'signal' | 'strict' | 'cuts'>

/** Ranks the documents of requests, and embeds documents that come without an embedding. */
export class Ranker {
  readonly settings: Settings
  readonly #embedder: TextEmbedder | undefined
  readonly #searcher: DocumentSearcher | undefined
  readonly #withTexts: Reranker
  readonly #withoutTexts: Reranker

  /**
   * @param searcher A store whose embeddings are used for documents with the same texts, instead of
   * encoding them.
   */
  constructor(
    settings: Settings,
    embedder: TextEmbedder | undefined,
    searcher: DocumentSearcher | undefined,
    readonly scale: RelevanceScale = {},
  ) {
    this.settings = settings
    this.#embedder = embedder
    this.#searcher = searcher
    this.#withTexts = new Reranker(settings)
    // The weights of the views include the text view, which needs texts that not every request has.
    const { views: _, ...others } = settings
    this.#withoutTexts = new Reranker(others)
  }

  /**
   * Ranks documents. The text view counts if the query and all documents have texts. The order of
   * the documents does not matter: the documents most similar to the query are the context, as if a
   * search had found them.
   *
   * @param options How to turn the ranking into a list; its groups and priors are by document.
   */
  async rank(
    query: Item,
    documents: readonly Item[],
    call: EmbeddingCall,
    options?: ListOptions,
  ): Promise<Ranked> {
    const [[asked], found] = await Promise.all([
      this.embed([query], 'query', call),
      this.embed(documents, 'document', call),
    ])
    const { vector } = asked!.embedding
    const vectors = found.map(({ embedding }) => embedding)
    checkDimensions(vector.length, vectors)
    const { order, similarityOf } = bySimilarity(asked!.embedding, vectors, this.settings.metric)
    const candidates = Array.from(order, (i) => vectors[i]!.vector)
    const texts = this.settings.mix === 'raw' ? undefined : textsOf(query, documents, order)
    const ranking = this.#rankViews(
      { vector, text: texts && query.text },
      { vectors: candidates, texts },
      options && inOrder(options, order),
    )
    const tokens = [asked!, ...found].reduce((sum, item) => sum + item.tokens, 0)
    const embeddings: EmbeddingSources = { given: 0, found: 0, encoded: 0 }
    for (const { from } of found) embeddings[from]++
    const places = ranking.order.map((i) => order[i]!)
    const similarities = Float32Array.from(places, (i) => similarityOf(i, ranking.metric?.name))
    const given = (lists?: readonly number[][]) =>
      lists?.map((list) => list.map((place) => order[place]!))
    return {
      ...ranking,
      order: places,
      duplicates: given(ranking.duplicates),
      others: given(ranking.others),
      similarities,
      tokens,
      embeddings,
    }
  }

  /**
   * Ranks by vectors, and by texts if there are any; estimates relevance if a background is known.
   */
  #rankViews(
    query: { vector: Vector; text: string | undefined },
    candidates: CandidateViews,
    options: ListOptions | undefined,
  ): RankedList {
    const { texts } = candidates
    const scale = texts || options ? this.#scaleOf(query.vector) : {}
    if (!options && !scale.background) {
      return (texts ? this.#withTexts : this.#withoutTexts).rerank(query, candidates)
    }
    if (!scale.background) refuseEstimates(options!, query.vector)
    const views = texts && this.settings.views
    const list = shortlist(query, candidates, { ...this.settings, views, ...scale, ...options })
    return rankedList(list, options)
  }

  /**
   * Returns whether the hits of a query can be chosen by their texts before their vectors are
   * fetched.
   */
  choosesByWords(query: Item): query is Item & { text: string } {
    return this.settings.mix === 'words' && query.text !== undefined
  }

  /**
   * Ranks hits that all have texts. The hits come in the order of their scores, which replace the
   * similarity to the query: only the vectors of the chosen hits are fetched.
   *
   * @param query The query with its embedding and its text.
   */
  async rankHits(
    query: { text: string; embedding: Embedding },
    hits: readonly (Hit & { text: string })[],
    vectorsOf: (ids: readonly string[]) => Promise<(Float32Array | undefined)[]>,
  ): Promise<RankedList> {
    const candidates = {
      texts: hits.map(({ title, text }) => ({ title, text })),
      scores: hits.map(({ score }) => score),
    }
    const plan = planVectors(query.text, { count: hits.length, ...candidates }, this.settings)
    const ids = plan.chosen.map((index) => hits[index]!.id)
    const vectors = await vectorsOf(ids)
    vectors.forEach((vector, i) => {
      if (vector) checkEmbedding({ vector, where: `document ${ids[i]}` })
    })
    const { vector } = query.embedding
    return rankedList(plan.list(vector, vectors, this.#scaleOf(vector)))
  }

  /**
   * Returns the options for estimating relevance; none, with a warning, if the background has
   * different dimensions.
   */
  #scaleOf({ length: dimensions }: Vector): RelevanceScale {
    const background = fittingBackground(
      this.scale.background,
      { name: 'a request', dimensions },
      { whose: 'the background', advice: 'send embeddings of its model' },
    )
    return background ? this.scale : {}
  }

  /**
   * Returns the embeddings of some items: given, of the store's documents with the same texts, or
   * encoded.
   */
  async embed(items: readonly Item[], role: Role, call: EmbeddingCall): Promise<Embedded[]> {
    const known = await this.#known(items, role)
    const texts = items.flatMap((item, i) => (known[i] ? [] : [wholeText(item)!]))
    const embedder = this.#embedder
    if (texts.length > 0 && !embedder) {
      throw new Problem(
        422,
        'this server has no model; send embeddings, or start the server with --model',
      )
    }
    const made = texts.length > 0 ? await embedder!.embed(texts, role, call.signal()) : []
    let next = 0
    return items.map((_, i) => {
      const there = known[i]
      if (there) return there
      const { vector, tokens, cut } = made[next++]!
      const where = nameOf(role, i)
      if (cut) countCutTokens(where, embedder!.maxTokens, call)
      return { embedding: { vector, where }, tokens, from: 'encoded' }
    })
  }

  /** Returns the embeddings that are known without the encoder. */
  async #known(items: readonly Item[], role: Role): Promise<(Embedded | undefined)[]> {
    const known = items.map(({ embedding }): Embedded | undefined =>
      embedding ? { embedding, tokens: 0, from: 'given' } : undefined,
    )
    const searcher = this.#searcher
    // Vectors of a different model do not fit the query, which this server encodes.
    const fits = !this.#embedder || searcher?.dimensions === this.#embedder.dimensions
    const open = items.flatMap((_, i) => (known[i] ? [] : [i]))
    if (role === 'query' || !searcher || !fits || open.length === 0) return known
    const vectors = await searcher.textVectors(open.map((i) => wholeText(items[i]!)!))
    vectors.forEach((vector, place) => {
      const i = open[place]!
      if (vector)
        known[i] = { embedding: { vector, where: nameOf(role, i) }, tokens: 0, from: 'found' }
    })
    return known
  }
}

/** Reorders options that have one entry per document. */
function inOrder(options: ListOptions, order: Uint32Array): ListOptions {
  const { groups, priors } = options
  return {
    ...options,
    groups: groups && Array.from(order, (i) => groups[i]),
    priors: priors && Array.from(order, (i) => priors[i]),
  }
}

/** Refuses options that need estimated relevance if there is no background. */
function refuseEstimates({ cutoff, onTopic }: ListOptions, { length }: Vector): void {
  const byRelevance = cutoff !== undefined && typeof cutoff !== 'number'
  if (!byRelevance && onTopic === undefined) return
  const needs = `a background of vectors with ${length} dimensions`
  throw new Problem(
    422,
    `${byRelevance ? 'cutoff' : 'on_topic'} needs ${needs}; start the server with --background`,
  )
}

function rankedList(list: Shortlist, { collapse, groups, onTopic }: ListOptions = {}): RankedList {
  const { hits } = list
  const relevances = hits.map(({ relevance }) => relevance)
  return {
    ...(collapse !== undefined ? { duplicates: hits.map(({ duplicates }) => duplicates) } : {}),
    ...(groups ? { others: hits.map(({ others }) => others) } : {}),
    ...(onTopic !== undefined ? { onTopic: list.onTopic } : {}),
    order: Uint32Array.from(hits, ({ index }) => index),
    scores: Float32Array.from(hits, ({ score }) => score),
    similarities: Float32Array.from(hits, ({ similarity }) => similarity ?? Number.NaN),
    relevances: relevances.every((relevance) => relevance === undefined) ? undefined : relevances,
  }
}

function nameOf(role: Role, place: number): string {
  return role === 'query' ? 'the query' : `document ${place}`
}

function checkDimensions(dimensions: number, documents: readonly Embedding[]): void {
  documents.forEach(({ vector }, i) => {
    if (vector.length === dimensions) return
    const problem = `the embedding of document ${i} has ${vector.length} dimensions, but the query’s has ${dimensions}`
    throw new Problem(422, `${problem}; embed both with the same model`)
  })
}

/** Returns the documents' texts in an order, if the query and all documents have one. */
function textsOf(
  query: Item,
  documents: readonly Item[],
  order: Uint32Array,
): TitledText[] | undefined {
  if (query.text === undefined) return undefined
  const texts: TitledText[] = []
  for (const i of order) {
    const { title, text } = documents[i]!
    if (text === undefined) return undefined
    texts.push({ title, text })
  }
  return texts
}

/** Sorts documents by descending similarity to the query; ties keep the lower index first. */
function bySimilarity(
  query: Embedding,
  documents: readonly Embedding[],
  metric: Settings['metric'],
): { order: Uint32Array; similarityOf(index: number, by?: MetricUse['name']): number } {
  const all = [query, ...documents]
  const { toQuery, squares } = queryProducts(all.map(({ vector }) => vector))
  all.forEach((embedding, i) => {
    checkSquare(embedding, squares[i]!)
  })
  const { name } = compareProducts(metric, { toQuery, squares })
  const similarityOf = (index: number, by = name): number => {
    const product = toQuery[index + 1]!
    return by === 'dot' ? product : product / Math.sqrt(squares[index + 1]! * squares[0]!) || 0
  }
  const similarities = documents.map((_, i) => similarityOf(i))
  const order = Uint32Array.from(documents, (_, i) => i)
  return { order: order.sort((a, b) => similarities[b]! - similarities[a]! || a - b), similarityOf }
}
