import type { PartialMethodSettings } from './baselines/method-settings.ts'
import {
  explainWith,
  labelsWith,
  type Neighbors,
  neighborsWith,
  partsWith,
  rankWith,
  similarityWith,
} from './calls.ts'
import type { Candidates, Member, Query } from './context.ts'
import type { Explanation } from './explanation.ts'
import type { GroundTruth } from './labels/ground-truth.ts'
import type { PartialLabelSettings } from './labels/label-settings.ts'
import type { Labels } from './labels/labels.ts'
import type { PriorOptions } from './list/priors.ts'
import type { Ranking } from './method/order-by-score.ts'
import type { Similarities } from './method/similarities.ts'
import type { TakenApart } from './score-parts.ts'
import {
  type PartialRerankerSettings,
  type RerankerSettings,
  resolveRerankerSettings,
} from './settings/reranker-settings.ts'
import type { PartialSettings } from './settings/settings.ts'
import { WorkspacePool } from './workspace.ts'

/**
 * Reranks with memory that is reused from call to call, for hot loops. Two rerankers never share
 * memory. A call within a call, which a getter among the inputs can make, gets separate memory.
 *
 * ```ts
 * const reranker = new Reranker({ k: 12 })
 * for (const { query, candidates } of requests) reranker.rerank(query, candidates)
 * ```
 */
export class Reranker {
  readonly #settings: RerankerSettings
  readonly #memory = new WorkspacePool()

  /** @param settings Default settings of all calls, including settings of methods and labels. */
  constructor(settings?: PartialRerankerSettings) {
    this.#settings = resolveRerankerSettings(settings)
  }

  /** Reranks a query's candidates. See {@link rerank}. */
  rerank(query: Query, candidates: Candidates, settings?: PartialMethodSettings): Ranking {
    return rankWith(this.#memory, this.#settings.ranking, query, candidates, settings)
  }

  /** Similarities of the query or of some candidates to the query and all candidates. See {@link similarity}. */
  similarity(
    query: Query,
    candidates: Candidates,
    probes: readonly Member[],
    settings?: PartialSettings,
  ): Similarities[] {
    return similarityWith(this.#memory, this.#settings.ranking, query, candidates, probes, settings)
  }

  /** The nearest and the reciprocal neighbors of a query and its candidates. See {@link neighbors}. */
  neighbors(query: Query, candidates: Candidates, settings?: PartialSettings): Neighbors {
    return neighborsWith(this.#memory, this.#settings.ranking, query, candidates, settings)
  }

  /** Training labels from evidence. See {@link smoothLabels}. */
  smoothLabels(
    query: Query,
    candidates: Candidates,
    groundTruth: GroundTruth,
    settings?: PartialLabelSettings,
  ): Labels {
    return labelsWith(this.#memory, this.#settings.labels, query, candidates, groundTruth, settings)
  }

  /** Why a candidate moved. See {@link explain}. */
  explain(
    query: Query,
    candidates: Candidates,
    index: number,
    settings?: PartialSettings & PriorOptions,
  ): Explanation {
    return explainWith(this.#memory, this.#settings.ranking, query, candidates, index, settings)
  }

  /** The ranking of {@link rerank} with the parts of all scores of its context, as `explain` gives the parts of one. */
  takeApart(query: Query, candidates: Candidates, settings?: PartialSettings): TakenApart {
    return partsWith(this.#memory, this.#settings.ranking, query, candidates, settings)
  }
}
