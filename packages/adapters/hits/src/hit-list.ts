import type { ListOptions, Shortlist } from '@kith/core'
import { extendRanking } from '@kith/core/internal'

/** Which of the ranked hits are kept, and how relevant they are. */
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
  /** The group of a hit, such as its page; one hit of each is kept, or `maxPerGroup`. */
  group?: ((hit: Hit) => unknown) | undefined
  /** A number that speaks for a hit, such as its freshness; undefined for one that has none. */
  prior?: ((hit: Hit) => number | undefined) | undefined
}

/** The names of these options. */
export const listOptionNames = [
  ...['background', 'calibration', 'cutoff', 'onTopic', 'collapse', 'group', 'maxPerGroup'],
  ...['prior', 'priorWeight', 'priorScale'],
]

/** The options for the hits that the method looks at. */
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

/** A hit in its new place. */
export interface RerankedHit<Hit> {
  /** The hit as the store returned it, its own score included. */
  hit: Hit
  /** The new score. It compares hits of one query only: 0 is about the average of the context. */
  score: number
  /** The cosine or inner product with the query; undefined without a vector. */
  similarity: number | undefined
  /**
   * The estimated probability that the hit is relevant, for the first 20; undefined without a
   * `background`, vectors or texts.
   */
  relevance: number | undefined
  /** Where the hit stood before, from 0. */
  index: number
  /** Hits that repeat this one, with `collapse`. */
  duplicates?: Hit[]
  /** Further hits of its group, with `group`. */
  others?: Hit[]
}

/**
 * The hits of a list. Behind them come the hits that the method did not look at, unless an option
 * takes hits away: then they are left out, since nobody knows whether they would be kept.
 *
 * @param looked How many of the first hits the list was made of.
 */
export function listedHits<Hit>(
  hits: readonly Hit[],
  list: Pick<Shortlist, 'hits'>,
  looked: number,
  { cutoff, onTopic, collapse, group }: HitListOptions<Hit>,
): RerankedHit<Hit>[] {
  const listed = list.hits.map((own) => ({
    hit: hits[own.index]!,
    score: own.score,
    similarity: own.similarity,
    relevance: own.relevance,
    index: own.index,
    ...(collapse === undefined ? {} : { duplicates: own.duplicates.map((i) => hits[i]!) }),
    ...(group === undefined ? {} : { others: own.others.map((i) => hits[i]!) }),
  }))
  const whole = [cutoff, onTopic, collapse, group].every((option) => option === undefined)
  if (!whole || looked === hits.length) return listed
  const ranking = {
    order: Uint32Array.from(list.hits, ({ index }) => index),
    scores: Float32Array.from(list.hits, ({ score }) => score),
  }
  const { order, scores } = extendRanking(ranking, hits.length)
  const behind = Array.from(order.subarray(looked), (index, i) => ({
    hit: hits[index]!,
    score: scores[looked + i]!,
    similarity: undefined,
    relevance: undefined,
    index,
  }))
  return [...listed, ...behind]
}
