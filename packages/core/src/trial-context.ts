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
import { copySquare } from './kernel/copy-block.ts'
import type { Engine, KernelName, Lists, Neighborhoods, Square } from './kernel/engine.ts'
import { kernel } from './kernel/load.ts'
import { computed, type Recall } from './method/graph.ts'
import type { MetricUse } from './method/metric.ts'
import type { Ranking } from './method/order-by-score.ts'
import { lookedAt, type SimilarityToQuery } from './method/preselect.ts'
import { type Memory, rankContext } from './method/rank-context.ts'
import { allFit, withMetric } from './method/vector-similarity.ts'
import { usesWords, viewWeights } from './method/view-weights.ts'
import { Reranker } from './reranker.ts'
import { type PartialSettings, resolveSettings, type Settings } from './settings/settings.ts'
import { noPostings, Postings } from './text/postings.ts'
import { type Tokenizer, tokenizerOf } from './text/tokenizer.ts'
import { type Workspace, WorkspacePool } from './workspace.ts'

/** How many sizes of context S_text is remembered for, and how many kinds of graph neighbors are. */
const KEPT = { texts: 16, ranks: 32, similarities: 8 }

/** All contexts share an engine, which is lent to one call at a time. */
const shared = /* @__PURE__ */ new WorkspacePool()
const reranker = /* @__PURE__ */ new Reranker()

/**
 * Reranks one query's candidates with many settings: steps that do not change between settings
 * are computed once. These are S of the vectors for all context sizes, S of the texts for
 * each size if it is not chosen from more candidates, and the nearest neighbors for each size
 * and scale. The results equal {@link rerank}.
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
  #vectors: ReadonlyMap<string, Lists<Float32Array>> = new Map()
  readonly #texts = new LruCache<Lists<Float32Array>>(KEPT.texts)
  readonly #ranks = new LruCache<Lists<Uint32Array>>(KEPT.ranks)
  /** Too long, too short, infinite or missing vectors are treated by `rerank`, whose rules depend on the size. */
  #irregular = false
  /** z of the similarities to the query, by metric, views and number of rows. */
  readonly #similarities = new LruCache<SimilarityToQuery>(KEPT.similarities)

  /**
   * @param largest The largest contextSize or number of candidates to preselect from that settings will have.
   * @param name Forces a kernel, for tests; the setting `kernel` is not used.
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
    const full = contextOf(bareQuery, found, contextSize, new Postings(), { tokenizer: 'none' })
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

  /** Reranks the candidates. See {@link rerank}. */
  rerank(settings?: PartialSettings): Ranking {
    const all: Settings = { ...resolveSettings(settings), kernel: this.#kernel }
    const hasTexts = this.#candidates.texts !== undefined
    const most = lookedAt(all, hasTexts)
    const rows = Math.min(most, this.#full.candidates) + 1
    if (rows > this.#full.rows) {
      throw new KithError(
        'BAD_SETTING',
        `these settings need ${most} candidates, but the trials have at most ${this.#full.rows - 1}`,
      )
    }
    return shared.use((memory) => {
      this.#rememberVectors(memory.engine(this.#kernel))
      if (this.#irregular) return reranker.rerank(this.#query, this.#candidates, all)
      const context = this.#contextOf(memory, rows, all)
      return rankContext(memory, context, all, this.#memoryOf(memory, context, all)).ranking
    })
  }

  /**
   * The candidates that are looked at. The BM25 score is cheap, and computed again: it needs the
   * texts.
   */
  #contextOf(memory: Workspace, rows: number, all: Settings): Context {
    const { texts } = this.#candidates
    if (usesWords(all, texts !== undefined)) {
      return contextOf(this.#query, this.#candidates, rows - 1, memory.postings, all)
    }
    // S_text comes from memory: the engine needs no room for postings.
    return { ...this.#full, rows, texts: texts && noPostings }
  }

  #memoryOf(memory: Workspace, context: Context, all: Settings): Memory {
    return {
      similarityToQuery: (compute) => {
        const key = `${context.rows} ${all.metric} ${JSON.stringify(all.views)}`
        const known = this.#similarities.get(key) ?? compute()
        this.#similarities.set(key, known)
        return known
      },
      recall: (chosen) => {
        if (chosen) return this.#recallChosen(chosen)
        if (viewWeights(context, all).has('texts')) {
          this.#rememberTexts(memory, context.rows, tokenizerOf(all))
        }
        return this.#recall(context, all)
      },
    }
  }

  /** S of chosen candidates is a part of the vectors'; how rare a term is depends on the choice. */
  #recallChosen(chosen: Uint32Array): Recall {
    const rows = [0, ...Array.from(chosen, (index) => index + 1)]
    return {
      ...computed,
      vectors: (engine, context, view, metric) => {
        const s = engine.square(rows.length, this.#vectors.get(view)!, rows)
        return withMetric(s, context, view, metric)
      },
    }
  }

  #recall(context: Context, all: Settings): Recall {
    const weights = viewWeights(context, all)
    const { rows } = context
    // The weights of several views hardly ever repeat; the weights of one view always do.
    const words = usesWords(all, context.texts !== undefined)
    const alone = weights.size === 1 && weights.has('vectors') && !words
    return {
      vectors: (engine, part, view, metric) => {
        const s = engine.square(rows, this.#vectors.get(view)!)
        return withMetric(s, part, view, metric)
      },
      texts: (engine) => engine.square(rows, this.#texts.get(keyOf(rows, tokenizerOf(all)))!),
      neighbors: (engine, graph, settings, metric) =>
        alone
          ? this.#recallNeighbors(engine, graph, settings, metric)
          : engine.neighbors(graph, settings),
    }
  }

  /** S of every vector view, once. */
  #rememberVectors(engine: Engine): void {
    if (this.#vectors.size > 0 || this.#irregular) return
    // Complete before it is kept: a getter among the vectors may come back here.
    const remembered = new Map<string, Lists<Float32Array>>()
    for (const [name, vectors] of this.#full.views) {
      engine.scoped(() => {
        const s = engine.gram(vectors)
        if (!allFit(s.diagonal())) this.#irregular = true
        remembered.set(name, copySquare(s))
      })
    }
    this.#vectors = remembered
  }

  /** S_text, once for each number of rows: how rare a term is depends on the candidates. */
  #rememberTexts(memory: Workspace, rows: number, tokenizer: Tokenizer): void {
    const key = keyOf(rows, tokenizer)
    if (this.#texts.get(key)) return
    const { texts } = contextOf(this.#query, this.#candidates, rows - 1, memory.chosen, {
      tokenizer,
    })
    const engine = memory.engine(this.#kernel)
    this.#texts.set(
      key,
      engine.scoped(() => copySquare(engine.texts(texts!).similarity())),
    )
  }

  /** The neighbors in S of the vectors: the nearest are found once for each number of rows, metric and scale. */
  #recallNeighbors(
    engine: Engine,
    graph: Square,
    settings: Settings,
    metric: MetricUse | undefined,
  ): Neighborhoods {
    const key = `${graph.rows} ${metric?.name ?? settings.metric} ${settings.rowScaling}`
    const stride = Math.min(settings.k, graph.rows - 1) + 1
    const known = this.#ranks.get(key)
    if (known && known.stride >= stride) return engine.neighbors(graph, settings, known)
    const found = engine.neighbors(graph, settings)
    this.#ranks.set(key, { data: joined(found.ranks(), stride), stride })
    return found
  }
}

/** Each tokenizer function has a different number: two functions make different terms of a text. */
const functionNumbers = new WeakMap<object, number>()
let functions = 0

/** The settings that S_text depends on, besides the texts. */
function keyOf(rows: number, tokenizer: Tokenizer): string {
  if (typeof tokenizer !== 'function') return `${rows} ${tokenizer}`
  const number = functionNumbers.get(tokenizer) ?? functions++
  functionNumbers.set(tokenizer, number)
  return `${rows} function ${number}`
}

function joined(lists: readonly Uint32Array[], length: number): Uint32Array {
  const all = new Uint32Array(lists.length * length)
  lists.forEach((list, i) => {
    all.set(list, i * length)
  })
  return all
}

/** Values by key, of which only the most recently used are kept. */
class LruCache<T> {
  readonly #values = new Map<string, T>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): T | undefined {
    const value = this.#values.get(key)
    if (value === undefined) return undefined
    // A map lists its keys in the order in which they were set.
    this.#values.delete(key)
    this.#values.set(key, value)
    return value
  }

  set(key: string, value: T): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size > this.#most) this.#values.delete(this.#values.keys().next().value!)
  }

  values(): Iterable<T> {
    return this.#values.values()
  }
}
