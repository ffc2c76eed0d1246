import type { Context } from '../context.ts'
import { KithError } from '../error.ts'
import type { Settings, ViewWeights } from '../settings/settings.ts'

/** The default weight of the words when texts are given (docs/method.md section 4). */
export const textWeights: Readonly<ViewWeights> = { graph: 0.3, score: 0.2 }

/**
 * The weights of the views that take part, by name. Without `settings.views`:
 * docs/method.md's for the words, and equal shares of the rest for the vector views.
 */
export function viewWeights(context: Context, settings: Settings): Map<string, ViewWeights> {
  const names = [...context.views.keys(), ...(context.texts ? ['texts'] : [])]
  const { views } = settings
  if (views) {
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
  const words = context.texts ? textWeights : { graph: 0, score: 0 }
  const share = {
    graph: (1 - words.graph) / context.views.size,
    score: (1 - words.score) / context.views.size,
  }
  return new Map(names.map((name) => [name, name === 'texts' ? words : share]))
}
