import {
  KithError,
  type MethodSettings,
  type PartialMethodSettings,
  resolveMethodSettings,
  type TermStatistics,
} from '@kith/core'

/** How hits are reranked. */
export interface RerankHitsOptions {
  /** How many of the best to return; by default all. */
  topN?: number | undefined
  /**
   * How often terms occur in the collection, from `termStatistics` of @kith/core or `kith term-statistics`.
   * With it the context is chosen from the first 200 hits instead of the first 50.
   */
  statistics?: TermStatistics | undefined
  /** Settings that differ from the default, such as those that `kith tune` found. */
  settings?: PartialMethodSettings | undefined
}

/** The options, checked and complete. */
export function readOptions(
  { topN, statistics, settings }: RerankHitsOptions,
  hits: number,
): { topN: number; settings: MethodSettings } {
  if (topN !== undefined && !(Number.isInteger(topN) && topN >= 0)) {
    throw new KithError('BAD_SETTING', `topN is ${topN}, allowed: whole numbers from 0`)
  }
  const known = statistics === undefined ? settings : { ...settings, statistics }
  return { topN: topN ?? hits, settings: resolveMethodSettings(known) }
}
