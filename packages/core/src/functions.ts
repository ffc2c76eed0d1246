import { type PartialMethodSettings, standard } from './baselines/method-settings.ts'
import {
  explainWith,
  labelsWith,
  type Neighbors,
  neighborsWith,
  rankWith,
  similarityWith,
} from './calls.ts'
import type { Candidates, Member, Query } from './context.ts'
import type { Explanation } from './explanation.ts'
import type { GroundTruth } from './labels/ground-truth.ts'
import { defaultLabelSettings, type PartialLabelSettings } from './labels/label-settings.ts'
import type { Labels } from './labels/labels.ts'
import type { PriorOptions } from './list/priors.ts'
import type { Ranking } from './method/order-by-score.ts'
import type { Similarities } from './method/similarities.ts'
import type { PartialSettings } from './settings/settings.ts'
import { WorkspacePool } from './workspace.ts'

/** The memory that the functions below share, lent to one call at a time. */
const shared = /* @__PURE__ */ new WorkspacePool()

/**
 * Reranks a query's candidates by their similarity to the query and by how much their reciprocal
 * neighborhoods overlap the query's.
 *
 * Pass candidates in the order in which they were retrieved. With texts, the ranking includes BM25
 * scores, which helps most:
 *
 * ```ts
 * const { order } = rerank({ vector, text }, { vectors, texts })
 * ```
 *
 * The setting `method` selects a simpler method, for comparison:
 *
 * ```ts
 * const { order } = rerank(query, candidates, { method: 'rocchio' })
 * ```
 */
export function rerank(
  query: Query,
  candidates: Candidates,
  settings?: PartialMethodSettings,
): Ranking {
  return rankWith(shared, standard, query, candidates, settings)
}

/**
 * Returns the geometric, the Jaccard and the mixed similarity of each probe (`'query'` or a
 * candidate's index) to the query and to all candidates. All given candidates form the context:
 * `contextSize` is for `rerank` and `explain`.
 *
 * ```ts
 * const [query, best] = similarity({ vector, text }, { vectors, texts }, ['query', 0])
 * query.jaccard.toCandidates[3] // the overlap of the query's neighborhood and candidate 3's
 * best.mixed.toQuery
 * ```
 */
export function similarity(
  query: Query,
  candidates: Candidates,
  probes: readonly Member[],
  settings?: PartialSettings,
): Similarities[] {
  return similarityWith(shared, standard, query, candidates, probes, settings)
}

/**
 * Returns the nearest and the reciprocal neighbors (R*) of the query and of each candidate. A
 * neighbor is `'query'` or a candidate's index. All given candidates form the context:
 * `contextSize` is for `rerank` and `explain`.
 *
 * ```ts
 * const { query, candidates } = neighbors(vector, vectors, { k: 10 })
 * query.reciprocal // ['query', 0, 4]
 * candidates[4].nearest // [4, 'query', 0, 7, …]
 * ```
 */
export function neighbors(
  query: Query,
  candidates: Candidates,
  settings?: PartialSettings,
): Neighbors {
  return neighborsWith(shared, standard, query, candidates, settings)
}

/**
 * Explains why `rerank` moved the candidate with this index: the parts of its score, its ranks
 * before and after, and the reciprocal neighbors that support it.
 *
 * ```ts
 * const { parts, rankBefore, rankAfter } = explain(query, candidates, 3)
 * ```
 *
 * With `priors`, it explains the list of `shortlist`: `parts.prior` is their part of the score.
 */
export function explain(
  query: Query,
  candidates: Candidates,
  index: number,
  settings?: PartialSettings & PriorOptions,
): Explanation {
  return explainWith(shared, standard, query, candidates, index, settings)
}

/**
 * Makes evidence-based training labels (docs/method.md section 6) for a query's candidates, some of
 * which are known to be relevant. Candidates that are similar to the ground truth within the
 * query's context get a part of its probability. All given candidates form the context.
 *
 * ```ts
 * const { kept, target } = smoothLabels(query, candidates, { candidates: [0] }, { labelDepth: 4, boost: 1.222 })
 * ```
 */
export function smoothLabels(
  query: Query,
  candidates: Candidates,
  groundTruth: GroundTruth,
  settings?: PartialLabelSettings,
): Labels {
  return labelsWith(shared, defaultLabelSettings, query, candidates, groundTruth, settings)
}
