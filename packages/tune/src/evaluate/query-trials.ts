import {
  KithError,
  type MethodSettings,
  type Ranking,
  rerank,
  type Tokenizer,
  TrialContext,
} from '@kith/core'
import { methodLooksAt, similaritySettings, tokenizerOf } from '@kith/core/internal'
import {
  createScorer,
  type Scorer,
  type ScorerOptions,
  type TrialCollection,
  type TrialQuery,
  viewsOf,
  withStatistics,
} from './collection.ts'

/** The inputs of trials, in a form that can be sent to a worker thread. */
export interface TrialInputs extends ScorerOptions {
  collection: TrialCollection
  /**
   * Maximum number of bytes that contexts keep between rounds; further contexts start again in each
   * round.
   */
  memory: number
}

/** Settings to evaluate; the value of settings s for a query is at s · queries + query. */
export interface TrialBatch {
  settings: readonly MethodSettings[]
  /** 0 for values that are not needed. */
  mask: Uint8Array
}

/** Evaluates settings on a dataset's queries; steps that trials share are computed once. */
export class QueryTrials {
  readonly #inputs: TrialInputs
  readonly #scorer: Scorer
  /** The contexts, by query and tokenizer. */
  readonly #contexts = new Map<string, TrialContext>()
  #bytes = 0

  constructor(inputs: TrialInputs) {
    this.#inputs = inputs
    this.#scorer = createScorer(inputs)
  }

  /** The number of queries. */
  get queries(): number {
    return this.#inputs.collection.list.length
  }

  /** Evaluates one query with each of some settings. */
  measure(query: number, { settings, mask }: TrialBatch, values: Float64Array): void {
    const { collection } = this.#inputs
    const own = collection.list[query]!
    try {
      settings.forEach((given, s) => {
        const place = s * this.queries + query
        if (mask[place] === 0) return
        const some = withStatistics(collection, given)
        const key = `${query} ${tokenizerOf(some)}`
        const known = this.#contexts.get(key)
        const context = known ?? openContext(collection, own, tokenizerOf(some))
        const before = known?.bytes ?? 0
        const { order } = rankWith(collection, own, context, some)
        const looked = methodLooksAt(some, collection.texts !== undefined)
        const grades = gradesInOrder(
          own,
          order,
          Math.min(looked, own.docs.length),
          this.#scorer.depth,
        )
        values[place] = this.#scorer.score(grades, own.ideal)
        this.#keep(key, context, before)
      })
    } catch (error) {
      if (!(error instanceof KithError)) throw error
      throw new KithError(error.code, `query ${own.id}: ${error.message}`)
    }
  }

  #keep(key: string, context: TrialContext, before: number): void {
    this.#bytes += context.bytes - before
    if (this.#bytes <= this.#inputs.memory) this.#contexts.set(key, context)
    else {
      this.#bytes -= context.bytes
      this.#contexts.delete(key)
    }
  }
}

/** Returns the value of every query in the original ranking of the run. */
export function baselineValues(list: readonly TrialQuery[], options: ScorerOptions): Float64Array {
  const scorer = createScorer(options)
  return Float64Array.from(list, ({ grades, ideal }) =>
    scorer.score(grades.subarray(0, Math.min(scorer.depth, grades.length)), ideal),
  )
}

/**
 * Ranks a query. Kith's own method reuses the steps that trials share; the other methods are cheap,
 * and start again.
 */
function rankWith(
  collection: TrialCollection,
  own: TrialQuery,
  context: TrialContext,
  settings: MethodSettings,
): Ranking {
  if (settings.method === 'neighbors') return context.rerank(similaritySettings(settings))
  return rerank(...viewsOf(collection, own, tokenizerOf(settings)), settings)
}

function openContext(
  collection: TrialCollection,
  own: TrialQuery,
  tokenizer: Tokenizer,
): TrialContext {
  return new TrialContext(...viewsOf(collection, own, tokenizer), Math.max(1, own.docs.length))
}

/**
 * Returns the grades of the top documents once the first `inside` candidates are reordered. All
 * other places of the run follow in their order, starting with candidates in between that could not
 * be reranked.
 */
function gradesInOrder(
  { places, grades }: TrialQuery,
  order: Uint32Array,
  inside: number,
  depth: number,
): Float64Array {
  const result = new Float64Array(Math.min(depth, grades.length))
  for (let rank = 0; rank < Math.min(inside, result.length); rank++) {
    result[rank] = grades[places[order[rank]!]!]!
  }
  let reordered = 0
  let rank = inside
  for (let place = 0; rank < result.length; place++) {
    if (reordered < inside && places[reordered] === place) reordered++
    else result[rank++] = grades[place]!
  }
  return result
}
