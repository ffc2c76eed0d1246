import {
  type Candidates,
  type CandidateViews,
  type Context,
  contextOf,
  type Query,
  type QueryViews,
  toQueryViews,
  toViews,
} from './context.ts'
import { KithError } from './error.ts'
import type { Engine, KernelName } from './kernel/engine.ts'
import { kernel } from './kernel/load.ts'
import { LruCache } from './lru-cache.ts'
import { buildGraph, type SimilaritySource } from './method/graph.ts'
import { mix } from './method/mix.ts'
import { lookedAt, preselect, type SimilarityToQuery } from './method/preselect.ts'
import { checkStatisticsFit, rankChosen } from './method/rank-query.ts'
import { rankWithWords } from './method/rank-with-words.ts'
import { extendRanking, type Ranking, rankCandidates } from './method/ranking.ts'
import { fits, metricOf } from './method/vector-similarity.ts'
import { viewWeights } from './method/view-weights.ts'
import { Reranker } from './reranker.ts'
import { type PartialSettings, resolveSettings, type Settings } from './settings/settings.ts'
import { noPostings, Postings } from './text/postings.ts'
import type { Tokenizer } from './text/tokenizer.ts'
import { Lender, type Workspace } from './workspace.ts'

/** Rows of numbers one behind the other, each `stride` long. */
interface Remembered<T extends Float32Array | Uint32Array> {
  data: T
  stride: number
}

/** How many sizes of context S_text is remembered for, and how many kinds of graph neighbors are. */
const KEPT = { texts: 16, ranks: 32, similarities: 8 }

/** All contexts share an engine, which is lent to one call at a time. */
const shared = new Lender()
const reranker = new Reranker()

/**
 * One query with its candidates, reranked with many settings: what does not change
 * from one to the next is computed once. That is S of the vectors for all context
 * sizes, S of the texts for each size where it is not chosen from more candidates, and the nearest
 * neighbors for each size and scale.
 * The results are those of {@link rerank}.
 *
 * ```ts
 * const context = new TrialContext(query, candidates, 100)
 * for (const settings of trials) context.rerank(settings)
 * ```
 */
export class TrialContext {
  readonly #query: QueryViews
  readonly #candidates: CandidateViews
  readonly #kernel: KernelName
  /** The context of the largest size, without texts. */
  readonly #full: Context
  #vectors: ReadonlyMap<string, Remembered<Float32Array>> = new Map()
  readonly #texts = new LruCache<Remembered<Float32Array>>(KEPT.texts)
  readonly #ranks = new LruCache<Remembered<Uint32Array>>(KEPT.ranks)
  /** Too long, too short, infinite or missing vectors are treated by `rerank`, whose rules depend on the size. */
  #irregular = false
  /** z of the similarities to the query, by metric, views and number of rows. */
  readonly #similarities = new LruCache<SimilarityToQuery>(KEPT.similarities)

  /**
   * @param largest The largest contextSize or number of candidates to preselect from that settings will have.
   * @param name Forces a kernel, for tests; that of the settings is not looked at.
   */
  constructor(query: Query, candidates: Candidates, largest: number, name = kernel()) {
    const { contextSize } = resolveSettings({ contextSize: largest, kernel: name })
    this.#query = toQueryViews(query)
    this.#candidates = toViews(candidates)
    this.#kernel = name
    const { vectors, views, texts } = this.#candidates
    // Empty texts: the terms of the real ones depend on the settings.
    const bareQuery = { ...this.#query, text: texts && '' }
    const found = { vectors, views, texts: texts && Array.from(texts, () => '') }
    const full = contextOf(bareQuery, found, contextSize, new Postings(), 'none')
    this.#full = { ...full, texts: undefined }
    this.#irregular = full.missing.length > 0
  }

  /** Bytes that are remembered. */
  get bytes(): number {
    let bytes = 0
    for (const kept of [this.#vectors, this.#texts, this.#ranks]) {
      for (const { data } of kept.values()) bytes += data.byteLength
    }
    return bytes
  }

  /** Orders the candidates anew. See {@link rerank}. */
  rerank(settings?: PartialSettings): Ranking {
    const all: Settings = { ...resolveSettings(settings), kernel: this.#kernel }
    const hasTexts = this.#candidates.texts !== undefined
    const most = lookedAt(all, hasTexts)
    const rows = Math.min(most, this.#full.candidates) + 1
    if (rows > this.#full.rows) {
      throw new KithError(
        'BAD_SETTING',
        `the settings look at ${most} candidates, the trials were to have ${this.#full.rows - 1} at the most`,
      )
    }
    return shared.lend((memory) => {
      const engine = memory.engine(this.#kernel)
      this.#rememberVectors(engine)
      if (this.#irregular) return reranker.rerank(this.#query, this.#candidates, all)
      return all.mix === 'words' && hasTexts
        ? this.#rankWithWords(memory, all)
        : this.#rerank(memory, rows, all)
    })
  }

  #rerank(memory: Workspace, rows: number, all: Settings): Ranking {
    const engine = memory.engine(this.#kernel)
    const context: Context = { ...this.#full, rows }
    // S_text comes from memory: the engine needs no room for postings.
    if (this.#candidates.texts) context.texts = noPostings
    const weights = viewWeights(context, all)
    if (weights.has('texts')) this.#rememberTexts(engine, memory.postings, rows, all.tokenizer)
    const geometric = buildGraph(engine, context, [0], all, this.#source(all.tokenizer))[0]!
    const alone = weights.size === 1 && weights.has('vectors')
    const metric = geometric.metric?.name ?? all.metric
    this.#findNeighbors(engine, rows, { ...all, metric }, alone)
    const mixed = mix(geometric, engine.jaccard(0), 0, all)
    return rankCandidates(mixed, context.candidates, geometric.metric)
  }

  /** The second generation: the words score is cheap, and computed anew. */
  #rankWithWords(memory: Workspace, all: Settings): Ranking {
    checkStatisticsFit(all)
    const engine = memory.engine(this.#kernel)
    const { contextSize, tokenizer } = all
    const limit = lookedAt(all, true)
    const context = contextOf(this.#query, this.#candidates, limit, memory.postings, tokenizer)
    if (context.rows - 1 <= contextSize) {
      this.#rememberTexts(engine, memory.chosen, context.rows, tokenizer)
      const { ranking } = rankWithWords(engine, context, all, { source: this.#source(tokenizer) })
      return extendRanking(ranking, context.candidates)
    }
    const key = `${context.rows} ${all.metric} ${JSON.stringify(all.views)}`
    const selection = preselect(engine, context, all, this.#similarities.get(key))
    this.#similarities.set(key, selection)
    return rankChosen(memory, context, selection, all, (chosen) => ({
      vectors: (to, part, view, metric) => {
        const { data, stride } = this.#vectors.get(view)!
        to.load(data, stride, [0, ...Array.from(chosen, (index) => index + 1)])
        return metricOf(to, part, view, metric)
      },
      texts: (to, { texts }) => to.text(texts!),
    })).ranking
  }

  #source(tokenizer: Tokenizer): SimilaritySource {
    return {
      vectors: (engine, context, view, metric) => {
        const { data, stride } = this.#vectors.get(view)!
        engine.load(data, stride)
        return metricOf(engine, context, view, metric)
      },
      texts: (engine, { rows }) => {
        const { data, stride } = this.#texts.get(keyOf(rows, tokenizer))!
        engine.load(data, stride)
      },
    }
  }

  /** S of every vector view, once. */
  #rememberVectors(engine: Engine): void {
    if (this.#vectors.size > 0 || this.#irregular) return
    const { rows, views } = this.#full
    // Complete before it is kept: a getter among the vectors may come back here.
    const remembered = new Map<string, Remembered<Float32Array>>()
    for (const [name, vectors] of views) {
      engine.open({ ...bare, rows, dimensions: vectors.dimensions })
      const { data, stride } = engine.vectors(vectors.dimensions)
      vectors.copyTo(data, stride)
      engine.gram()
      if (!engine.diagonal().every(fits)) this.#irregular = true
      remembered.set(name, squareOf(engine, rows))
    }
    this.#vectors = remembered
  }

  /** S_text, once for each number of rows: how rare a term is depends on the candidates. */
  #rememberTexts(engine: Engine, postings: Postings, rows: number, tokenizer: Tokenizer): void {
    const key = keyOf(rows, tokenizer)
    if (this.#texts.get(key)) return
    const { texts } = contextOf(this.#query, this.#candidates, rows - 1, postings, tokenizer)
    engine.open({ ...bare, rows, postings: texts!.count })
    engine.text(texts!)
    this.#texts.set(key, squareOf(engine, rows))
  }

  /** Sections 2 and 3. The weights of several views hardly ever come back, those of one always do. */
  #findNeighbors(engine: Engine, rows: number, settings: Settings, alone: boolean): void {
    const key = `${rows} ${settings.metric} ${settings.rowScaling}`
    const keep = Math.min(settings.k, rows - 1) + 1
    const known = alone ? this.#ranks.get(key) : undefined
    if (known && known.stride >= keep) engine.loadRanks(known.data, known.stride)
    else {
      engine.rank()
      if (alone) this.#ranks.set(key, { data: joined(engine.ranks(), keep), stride: keep })
    }
    engine.reciprocal(settings)
    engine.weigh(settings)
  }
}

/** Each tokenizer function has a number of its own: two of them make different terms of a text. */
const functionNumbers = new WeakMap<object, number>()
let functions = 0

/** What S_text depends on, besides the texts. */
function keyOf(rows: number, tokenizer: Tokenizer): string {
  if (typeof tokenizer !== 'function') return `${rows} ${tokenizer}`
  const number = functionNumbers.get(tokenizer) ?? functions++
  functionNumbers.set(tokenizer, number)
  return `${rows} function ${number}`
}

/** Sizes that an engine does not need if it only computes S. */
const bare = { dimensions: 0, postings: 0, blended: false, k: 0, kExp: 0, trust: 0 }

function squareOf(engine: Engine, rows: number): Remembered<Float32Array> {
  const data = new Float32Array(rows * rows)
  for (let i = 0; i < rows; i++) data.set(engine.row(i), i * rows)
  return { data, stride: rows }
}

function joined(lists: readonly Uint32Array[], length: number): Uint32Array {
  const all = new Uint32Array(lists.length * length)
  lists.forEach((list, i) => {
    all.set(list, i * length)
  })
  return all
}
