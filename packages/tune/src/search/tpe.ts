import { hashedWords, type Words } from '@kith/base/random'
import { Parzen } from './parzen.ts'
import { suggestEvenly } from './random-search.ts'
import type { Parameters } from './space.ts'
import { ROUND, type Suggest } from './suggest.ts'

/** Rounds that draw evenly, before there is anything to learn from. */
const EVEN_ROUNDS = 3

/** The part of the finished trials that counts as good. */
const GOOD = 0.15

/** Draws from the good ones, of which the most promising is suggested. */
const DRAWS = 32

/**
 * The Tree-structured Parzen Estimator: draws from the density of the good trials,
 * and takes the draw that is most likely there compared with all other trials. Those of the same
 * round, whose values are not known yet, count among the others: the round spreads out.
 * The same recipe and trials give the same suggestions.
 */
export const suggestTpe: Suggest = (recipe, finished) => {
  const { space, seed, study, round: count = ROUND, even = EVEN_ROUNDS * ROUND } = recipe
  if (finished.length < even) return suggestEvenly(recipe, finished)
  const order = finished
    .map((_, i) => i)
    .sort((a, b) => finished[b]!.value - finished[a]!.value || a - b)
    .map((i) => finished[i]!.parameters)
  const best = Math.ceil(GOOD * order.length)
  const good = new Parzen(space, order.slice(0, best))
  const others = order.slice(best)
  const round: Parameters[] = []
  for (let i = 0; i < count; i++) {
    const words = hashedWords(seed, study, finished.length + i)
    const rest = new Parzen(space, [...others, ...round])
    round.push(mostPromising(good, rest, words))
  }
  return round
}

function mostPromising(good: Parzen, rest: Parzen, words: Words): Parameters {
  const draws = Array.from({ length: DRAWS }, () => good.sample(words))
  const promises = draws.map((point) => good.logDensity(point) - rest.logDensity(point))
  return draws[promises.indexOf(Math.max(...promises))]!
}
