import { type Context, nameOf } from '../context.ts'
import { KithError } from '../error.ts'
import type { Engine } from '../kernel/engine.ts'
import type { Settings } from '../settings/settings.ts'
import { chooseMetric, type MetricUse } from './metric.ts'
import { ROUNDING, standardize } from './mix.ts'
import { sortByScore } from './order-by-score.ts'
import { addWords, type Relevance } from './score-context.ts'
import { cosineOf } from './similarity-steps.ts'
import { scoreTerm, usesWords, viewWeights } from './view-weights.ts'

/** The candidates of a query in the order of g0, by which a context is chosen from them. */
export interface Preselection extends Relevance {
  /** Candidate indices, the highest g0 first, ties by the lower index. */
  order: Uint32Array
  /** How the embeddings were compared; undefined if there are none. */
  metric: MetricUse | undefined
  /** The inner products or cosines of the embeddings, as `metric` says; NaN for a row without a vector. */
  compared: Float64Array | undefined
}

/**
 * From how many of the first candidates a context is chosen if the corpus's statistics are
 * known.
 */
const PRESELECT = 200

/**
 * How many of a query's first candidates a ranking reads: the context, or the candidates that it is
 * chosen from. All others keep their order. `known` says whether there will be statistics of the
 * corpus, before they are there.
 */
export function lookedAt(
  settings: Settings,
  texts: boolean,
  known = settings.statistics !== undefined,
): number {
  const { contextSize, preselect } = settings
  if (!usesWords(settings, texts)) return contextSize
  return Math.max(contextSize, preselect ?? (known ? PRESELECT : 0))
}

/**
 * Section 4, step 0: g0 = (1 − a) · z(similarity) + a · z(words) of all candidates of a context. The
 * similarity is the same for all settings with the same metric and views, and may be remembered.
 */
export function preselect(
  engine: Engine,
  context: Context,
  settings: Settings,
  remember?: (compute: () => SimilarityToQuery) => SimilarityToQuery,
): Preselection {
  const compute = () => similarityToQuery(engine, context, settings)
  const toQuery = remember ? remember(compute) : compute()
  const words = engine.scoped(() => engine.texts(context.texts!).scores(settings))
  const { similarity, matched, relevance } = addWords(toQuery.similarity, words, settings)
  const { metric, compared } = toQuery
  const order = sortByScore(relevance)
  return { similarity, words, matched, relevance, order, metric, compared }
}

/** The part of a preselection that does not depend on the words. */
export type SimilarityToQuery = Pick<Preselection, 'similarity' | 'metric' | 'compared'>

/** The similarity of every row to the query: z of each view's, by its weight in the score. */
function similarityToQuery(
  engine: Engine,
  context: Context,
  settings: Settings,
): SimilarityToQuery {
  const weights = viewWeights(context, settings)
  const sum = scoreTerm(context, weights)
  let main: MetricUse | undefined
  let compared: Float64Array | undefined
  for (const [name, view] of context.views) {
    const { score } = weights.get(name) ?? { score: 0 }
    if (score === 0) continue
    const products = engine.products(view)
    const { toQuery, squares } = products
    let longest = 0
    for (let row = 0; row < squares.length; row++) {
      const square = squares[row]!
      if (!Number.isFinite(square)) {
        throw new KithError('BAD_VECTOR', `${nameOf(row)} contains a number that is not finite`)
      }
      if (row > 0 && square > longest) longest = square
    }
    const missing = name === 'vectors' ? context.missing : []
    const metric = chooseMetric(settings.metric, products, missing)
    const dot = metric.name === 'dot'
    const values = dot ? toQuery : new Float64Array(toQuery.length)
    for (let c = 0; c < values.length && !dot; c++) values[c] = cosineOf(products, c)
    const noise = dot ? ROUNDING * Math.sqrt(longest * squares[0]!) : ROUNDING
    const z = standardize(values, [0, ...missing], noise)
    for (const row of missing) z[row] = 0
    for (let c = 0; c < sum.length; c++) sum[c]! += score * z[c]!
    if (name !== 'vectors') continue
    main = metric
    compared = values
    for (const row of missing) compared[row] = Number.NaN
  }
  return { similarity: standardize(sum, [0], ROUNDING, sum), metric: main, compared }
}
