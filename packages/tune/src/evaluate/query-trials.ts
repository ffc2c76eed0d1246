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

/** The inputs of trials, in a form that can be handed to a worker thread. */
export interface TrialInputs extends ScorerOptions {
  collection: TrialCollection
  /** Bytes that contexts may remember between rounds; the others start again in each. */
  memory: number
}

/** Settings to be measured; setting s of a query has its place at s · queries + query. */
export interface TrialBatch {
  settings: readonly MethodSettings[]
  /** 0 if a value does not matter. */
  mask: Uint8Array
}

/** Measures settings on a dataset's queries; steps that trials share are computed once. */
export class QueryTrials {
  readonly #inputs: TrialInputs
  readonly #scorer: Scorer
  /** By the query and the terms of its texts. */
  readonly #contexts = new Map<string, TrialContext>()
  #bytes = 0

  constructor(inputs: TrialInputs) {
    this.#inputs = inputs
    this.#scorer = createScorer(inputs)
  }

  /** How many queries there are. */
  get queries(): number {
    return this.#inputs.collection.list.length
  }

  /** Measures one query with each of some settings. */
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

/** The value of every query as the run ranks it. */
export function baselineValues(list: readonly TrialQuery[], options: ScorerOptions): Float64Array {
  const scorer = createScorer(options)
  return Float64Array.from(list, ({ grades, ideal }) =>
    scorer.score(grades.subarray(0, Math.min(scorer.depth, grades.length)), ideal),
  )
}

/** Our own method, on the steps that trials share; the other methods are cheap, and start again. */
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
 * The grades of the first documents once the first `inside` candidates are reordered: all other
 * places of the run follow in their order, starting with candidates in between that could not be reranked.
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
