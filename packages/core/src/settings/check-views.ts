import { KithError } from '../error.ts'
import { isObject } from '../matrix.ts'
import { refuseUnknown } from './names.ts'
import { range } from './setting-rules.ts'
import type { ViewWeights } from './settings.ts'
import { show } from './show.ts'

const checkShare = range({ from: 0, to: 1 })
const kinds = ['graph', 'score'] as const

/** Throws unless a value is the weights of views by name. */
export function checkViews(name: string, views: unknown): void {
  if (typeof views !== 'object' || views === null) {
    throw new KithError(
      'BAD_SETTING',
      `setting ${name} must be an object of weights by view name, got ${show(views)}`,
    )
  }
  for (const [view, weights] of Object.entries(views)) {
    if (!isObject(weights)) continue
    const part = `weight of ${name}.${view}`
    refuseUnknown(weights, { part, known: kinds, code: 'BAD_SETTING' })
  }
  for (const kind of kinds) {
    let sum = 0
    for (const [view, weights] of Object.entries(views as Record<string, Partial<ViewWeights>>)) {
      checkShare(`${name}.${view}.${kind}`, weights?.[kind])
      sum += weights[kind] as number
    }
    // Decimal fractions such as 0.7 + 0.2 + 0.1 miss 1 by a rounding error.
    if (Math.abs(sum - 1) > 1e-9) {
      throw new KithError('BAD_SETTING', `the ${kind} weights of ${name} must sum to 1, got ${sum}`)
    }
  }
}
