import type { Context } from '../context.ts'
import { KithError } from '../error.ts'
import type { Settings, ViewWeights } from '../settings/settings.ts'
import { standardize } from './mix.ts'

/** The default weight of the words' view if texts are given (docs/method.md section 4). */
export const textWeights: Readonly<ViewWeights> = { graph: 0.3, score: 0.2 }

/** Whether a ranking takes the words: the second generation, which is the first if there are no texts. */
export function usesWords({ mix }: Pick<Settings, 'mix'>, texts: boolean): boolean {
  return mix === 'words' && texts
}

/**
 * The weights of the views that take part, by name. Without `settings.views`:
 * docs/method.md's for the words, and equal shares of the rest for the vector views.
 */
export function viewWeights(context: Context, settings: Settings): Map<string, ViewWeights> {
  const { views } = settings
  if (views) return namedWeights(context, views)
  const words = wordsOf(context, settings)
  const share = {
    graph: (1 - words.graph) / context.views.size,
    score: (1 - words.score) / context.views.size,
  }
  const weights = new Map<string, ViewWeights>()
  for (const name of context.views.keys()) weights.set(name, share)
  if (context.texts) weights.set('texts', words)
  return weights
}

/** The weights that settings name, if they are above 0. */
function namedWeights(
  context: Context,
  views: NonNullable<Settings['views']>,
): Map<string, ViewWeights> {
  const names = [...context.views.keys(), ...(context.texts ? ['texts'] : [])]
  for (const [name, { graph, score }] of Object.entries(views)) {
    if (!names.includes(name) && (graph > 0 || score > 0)) {
      throw new KithError(
        'BAD_INPUT',
        `view ${name} has a weight, but the context has no such view; it has ${names.join(', ')}`,
      )
    }
  }
  return new Map(
    names.flatMap((name) => {
      const weights = Object.hasOwn(views, name) ? views[name]! : { graph: 0, score: 0 }
      return weights.graph > 0 || weights.score > 0 ? [[name, weights] as const] : []
    }),
  )
}

/**
 * The weights of the texts' view: in the second generation the BM25 score replaces it in the score.
 */
function wordsOf({ texts, views }: Context, { mix }: Settings): ViewWeights {
  if (!texts) return { graph: 0, score: 0 }
  if (views.size === 0) return { graph: 1, score: mix === 'words' ? 0 : 1 }
  return { graph: textWeights.graph, score: mix === 'words' ? 0 : textWeights.score }
}

/**
 * Replaces the similarity of candidates without a vector by their retriever's score, standardized
 * over all candidates with a score, with the weight that the similarity of their vectors would
 * have; if no candidate has a vector, the scores have all of it. 0, the mean, for all other rows.
 */
export function scoreTerm(
  { rows, missing, scores }: Context,
  weights: ReadonlyMap<string, ViewWeights>,
): Float64Array {
  const term = new Float64Array(rows)
  if (!scores || missing.length === 0) return term
  const without = Array.from(scores.keys()).filter((row) => Number.isNaN(scores[row]))
  const z = standardize(scores, without)
  const { score: weight } = weights.get('vectors') ?? { score: 1 }
  for (const row of missing) if (!Number.isNaN(scores[row])) term[row] = weight * z[row]!
  return term
}
