import type { ListOptions, Shortlist } from '@kith/core'

/** Options that choose the ranked hits to return and estimate their relevance. */
export interface HitListOptions<Hit>
  extends Pick<
    ListOptions,
    | 'background'
    | 'calibration'
    | 'cutoff'
    | 'onTopic'
    | 'collapse'
    | 'maxPerGroup'
    | 'priorWeight'
    | 'priorScale'
  > {
  /** Returns the group of a hit, such as its page; one hit per group is kept, or `maxPerGroup`. */
  group?: ((hit: Hit) => unknown) | undefined
  /** Returns a number that favors a hit, such as its freshness; undefined for a hit without one. */
  prior?: ((hit: Hit) => number | undefined) | undefined
}

/** The names of the list options. */
export const listOptionNames = [
  ...['background', 'calibration', 'cutoff', 'onTopic', 'collapse', 'group', 'maxPerGroup'],
  ...['prior', 'priorWeight', 'priorScale'],
]

/** Returns the list options for the hits that the method reranks. */
export function listOptions<Hit>(options: HitListOptions<Hit>, hits: readonly Hit[]): ListOptions {
  const { group, prior } = options
  return {
    background: options.background,
    calibration: options.calibration,
    cutoff: options.cutoff,
    onTopic: options.onTopic,
    collapse: options.collapse,
    groups: group && hits.map((hit) => group(hit)),
    maxPerGroup: options.maxPerGroup,
    priors: prior && hits.map((hit) => prior(hit)),
    priorWeight: options.priorWeight,
    priorScale: options.priorScale,
  }
}

/** A hit at its new place. */
export interface RerankedHit<Hit> {
  /** The hit as the store returned it, including the store's score. */
  hit: Hit
  /** The new score. It compares hits of one query only: 0 is about the average of the context. */
  score: number
  /** The cosine or inner product with the query; undefined without a vector. */
  similarity: number | undefined
  /**
   * The estimated probability that the hit is relevant, for the top 20 hits; undefined without a
   * `background`, vectors or texts.
   */
  relevance: number | undefined
  /** The hit's index in the given list, from 0. */
  index: number
  /** The duplicates of this hit, with `collapse`. */
  duplicates?: Hit[]
  /** Further hits of this hit's group, with `group`. */
  others?: Hit[]
}

/** Converts a list to reranked hits. */
export function listedHits<Hit>(
  hits: readonly Hit[],
  list: Pick<Shortlist, 'hits'>,
  { collapse, group }: HitListOptions<Hit>,
): RerankedHit<Hit>[] {
  return list.hits.map((own) => ({
    hit: hits[own.index]!,
    score: own.score,
    similarity: own.similarity,
    relevance: own.relevance,
    index: own.index,
    ...(collapse === undefined ? {} : { duplicates: own.duplicates.map((i) => hits[i]!) }),
    ...(group === undefined ? {} : { others: own.others.map((i) => hits[i]!) }),
  }))
}
