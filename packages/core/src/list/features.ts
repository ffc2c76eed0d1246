import { KithError } from '../error.ts'
import type { Engine, Products } from '../kernel/engine.ts'
import type { RankedContext } from '../method/rank-context.ts'
import { cosineOf } from '../method/similarity-steps.ts'
import type { Settings } from '../settings/settings.ts'
import { queryTerms } from '../text/words-score.ts'
import { type Background, cosinesToSample, sampleOf } from './background.ts'
import { ESTIMATED, type HitFeatures, type QueryFeatures } from './relevance.ts'

/** The inputs of the estimates for one query: what the models are fitted on. */
export interface RelevanceFeatures {
  hits: (HitFeatures & { index: number })[]
  query: QueryFeatures
}

/** The same inputs; the query's are computed on demand, since they take as long as a ranking. */
export interface ListFeatures extends Pick<RelevanceFeatures, 'hits'> {
  query(engine: Engine): QueryFeatures
}

/** A list to estimate, whose candidates count from 0. */
export interface EstimatedList {
  order: Uint32Array
  scores: Float32Array
  ranked: RankedContext
  vector: ArrayLike<number>
  /** Inner products of all candidates; row 0 is the query. */
  compared: Products
  /** The rows without a vector. */
  lacks: ReadonlySet<number>
  /** The index of a candidate among all that were given. */
  of: (place: number) => number
}

/** The inputs of the estimates of a list; undefined without texts. */
export function featuresOf(
  engine: Engine,
  known: Background,
  list: EstimatedList,
  settings: Settings,
): ListFeatures | undefined {
  const { order, scores, ranked, compared, lacks, of } = list
  const { texts } = ranked.context
  if (!texts) return undefined
  checkDimensions(known, list.vector)
  sampleOf(known)
  // The ranking knows the matches of its context: of all candidates, if it chose none of them.
  const inContext = ranked.chosen ? undefined : ranked.words?.matches
  const { coverage, total } =
    inContext ?? engine.scoped(() => engine.texts(texts).matches(settings))
  const bm25 = ranked.bm25 ?? engine.scoped(() => engine.texts(texts).scores(settings))
  const { mean, deviation } = known.pairs
  const hits = Array.from(order.subarray(0, ESTIMATED), (place, i) => ({
    index: of(place),
    similarity: lacks.has(place + 1)
      ? 0
      : (cosineOf(compared, place + 1) - mean) / (deviation || 1),
    coverage: coverage[place + 1] ?? 0,
    rank: i + 1,
    score: scores[i]!,
  }))
  const words = largest(bm25) / (total * (settings.k1 + 1) || 1)
  const terms = queryTerms(texts).counts.reduce((sum, count) => sum + count, 0)
  const most = nearestOf(list)
  // A copy, since the caller may change the vector before the estimate is asked for.
  const vector = Float32Array.from(list.vector)
  const query = (later: Engine): QueryFeatures => {
    const sample = cosinesToSample(later, known, vector)
    return {
      nearest: (most - known.nearest.mean) / (known.nearest.deviation || 1),
      background: (most - sample.mean) / (sample.deviation || 1),
      words,
      coverage: largest(coverage),
      terms,
    }
  }
  return { hits, query }
}

/** Refuses a background of vectors of another length: they come from another model. */
function checkDimensions({ dimensions }: Background, vector: ArrayLike<number>): void {
  if (vector.length === dimensions) return
  throw new KithError(
    'BAD_SHAPE',
    `the query has ${vector.length} dimensions, but the background has ${dimensions}; make the background from the vectors of the documents`,
  )
}

/** The query's largest cosine. */
function nearestOf({ compared, lacks }: EstimatedList): number {
  let most = -1
  for (let row = 1; row < compared.squares.length; row++) {
    if (!lacks.has(row)) most = Math.max(most, cosineOf(compared, row))
  }
  return most
}

function largest(values: Float64Array): number {
  let most = 0
  for (let i = 0; i < values.length; i++) if (values[i]! > most) most = values[i]!
  return most
}
