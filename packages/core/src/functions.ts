import type { Candidates, Query, RankingContext } from './context.ts'
import type { Explanation } from './explanation.ts'
import type { GroundTruth } from './labels/ground-truth.ts'
import type { PartialLabelSettings } from './labels/label-settings.ts'
import type { Labels } from './labels/labels.ts'
import type { Ranking } from './method/ranking.ts'
import type { Similarities } from './method/similarities.ts'
import { type Neighbours, Reranker } from './reranker.ts'
import type { PartialSettings } from './settings/settings.ts'

/** The memory that the functions below share, lent to one call at a time. */
const shared = new Reranker()

/**
 * Orders a query's candidates anew by mixing their similarity to the query with
 * how much their reciprocal neighbourhoods overlap the query's.
 *
 * Candidates come in the order in which they were retrieved. With texts, the
 * words are a second view of the neighbourhood, which helps most:
 *
 * ```ts
 * const { order } = rerank({ vector, text }, { vectors, texts })
 * ```
 */
export function rerank(query: Query, candidates: Candidates, settings?: PartialSettings): Ranking {
  return shared.rerank(query, candidates, settings)
}

/**
 * The geometric, the Jaccard and the mixed similarity of some rows (`probes`) to
 * all rows of a context, whose row 0 is the query.
 */
export function similarity(
  context: RankingContext,
  probes: readonly number[],
  settings?: PartialSettings,
): Similarities {
  return shared.similarity(context, probes, settings)
}

/** The nearest and the reciprocal neighbours (R*) of every row of a context, whose row 0 is the query. */
export function neighbours(context: RankingContext, settings?: PartialSettings): Neighbours {
  return shared.neighbours(context, settings)
}

/**
 * Why `rerank` moved the candidate with this index: its parts of the score, its
 * ranks before and after, and the reciprocal neighbours that vouch for it.
 */
export function explain(
  query: Query,
  candidates: Candidates,
  index: number,
  settings?: PartialSettings,
): Explanation {
  return shared.explain(query, candidates, index, settings)
}

/**
 * Evidence-based training labels (docs/method.md section 6) for the candidates of a context,
 * whose row 0 is the query and whose ground-truth rows are known. Candidates that are
 * similar to the ground truth within the query's context get a part of its probability.
 *
 * ```ts
 * const { kept, target } = smoothLabels(context, { rows: [1] }, { maxLabelled: 4, boost: 1.222 })
 * ```
 */
export function smoothLabels(
  context: RankingContext,
  groundTruth: GroundTruth,
  settings?: PartialLabelSettings,
): Labels {
  return shared.smoothLabels(context, groundTruth, settings)
}
