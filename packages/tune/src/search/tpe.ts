import { below, fraction, hashedWords, normal, type Words } from '@kith/base/random'
import {
  type Dimension,
  draw,
  fill,
  fromUnit,
  grain,
  isActive,
  type NumericDimension,
  type Parameters,
  type Space,
  toUnit,
  type Value,
} from './space.ts'

/** The number of evenly drawn rounds, before there is anything to learn from. */
const EVEN_ROUNDS = 3

/** The share of the finished trials that counts as good. */
const GOOD = 0.15

/**
 * The number of draws from the density of the good trials; the most promising draw is suggested.
 */
const DRAWS = 32

/**
 * Suggests trials with the Tree-structured Parzen Estimator: draws from the density of the good
 * trials, and takes the draw that is most likely there compared with all other trials. Trials of
 * the same round, whose values are not known yet, count as other trials, so that the round spreads
 * out. The same recipe and trials give the same suggestions.
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

/** Suggests evenly drawn trials: the beginning of a search, and the baseline that it must beat. */
export const suggestEvenly: Suggest = ({ space, seed, start, round = ROUND }, finished) =>
  Array.from({ length: round }, (_, i) => {
    const trial = finished.length + i
    if (trial === 0) return start
    const words = hashedWords(seed, trial)
    return fill(space, (_, dimension) => draw(dimension, words))
  })

/** A trial with its value; higher is better. */
export interface FinishedTrial {
  parameters: Parameters
  value: number
}

/** The number of trials per round, for any number of workers. */
export const ROUND = 8

/** The inputs of a study's suggestions, besides its finished trials. */
export interface Recipe {
  space: Space
  seed: number
  /** The number of the study: studies with the same seed share only the evenly drawn trials. */
  study: number
  /** The parameters of the first trial. */
  start: Parameters
  /**
   * The number of trials per round, and of evenly drawn trials. Default: `ROUND`, and three rounds.
   */
  round?: number | undefined
  even?: number | undefined
}

/** Suggests the next round of trials after the finished trials, which are whole rounds. */
export type Suggest = (recipe: Recipe, finished: readonly FinishedTrial[]) => Parameters[]

/**
 * The minimum width of a kernel as a part of its dimension, so that the search does not stop at its
 * best point.
 */
const NARROWEST = 0.03

/** The part of a choice's kernel that is spread over all values. */
const SPREAD = 0.2

/**
 * A point's kernel in one dimension: a normal distribution truncated at the ends, with the ln of
 * its factor in `height`; or a favored value, with the ln of its probability and of the others'.
 */
type Kernel =
  | { center: number; width: number; height: number }
  | { favored: Value; own: number; other: number }

/**
 * The density of some points of a space: a mixture, in equal parts, of a kernel around each point
 * and of the whole space. A kernel is a product over the dimensions; dimensions that a point lacks
 * are uniform.
 */
class Parzen {
  readonly #space: Space
  readonly #names: readonly string[]
  /** The kernel of each point in each dimension. */
  readonly #kernels: readonly (readonly (Kernel | undefined)[])[]

  constructor(space: Space, points: readonly Parameters[]) {
    this.#space = space
    this.#names = Object.keys(space)
    const makers = this.#names.map((name) =>
      kernelMaker(space[name]!, name, points, this.#names.length),
    )
    const kernels = points.map((point) =>
      this.#names.map((name, d) => (name in point ? makers[d]!(point[name]!) : undefined)),
    )
    // A kernel without any dimension covers the whole space.
    this.#kernels = [...kernels, this.#names.map(() => undefined)]
  }

  /** Draws a point from the density. */
  sample(words: Words): Parameters {
    const kernels = this.#kernels[below(this.#kernels.length, words)]!
    return fill(this.#space, (name, dimension) => {
      const kernel = kernels[this.#names.indexOf(name)]
      if (!kernel) return draw(dimension, words)
      if ('favored' in kernel) {
        return fraction(words) < SPREAD ? draw(dimension, words) : kernel.favored
      }
      return fromUnit(dimension as NumericDimension, within(kernel.center, kernel.width, words))
    })
  }

  /** Returns the ln of the density at a point. */
  logDensity(point: Parameters): number {
    const dimensions = this.#names.map((name) => this.#space[name]!)
    const active = [...dimensions.keys()].filter((d) => isActive(dimensions[d]!, point))
    const places = dimensions.map((dimension, d) => placeOf(dimension, point[this.#names[d]!]))
    const logs = this.#kernels.map((kernels) => {
      let sum = 0
      for (const d of active) sum += logKernel(kernels[d], dimensions[d]!, places[d]!)
      return sum
    })
    const largest = Math.max(...logs)
    const total = logs.reduce((sum, log) => sum + Math.exp(log - largest), 0)
    return largest + Math.log(total / logs.length)
  }
}

/** Returns a number's position in its dimension; other values are unchanged. */
function placeOf(dimension: Dimension, value: Value | undefined): Value | undefined {
  return dimension.kind === 'choice' || value === undefined
    ? value
    : toUnit(dimension, value as number)
}

function logKernel(kernel: Kernel | undefined, dimension: Dimension, place: Value): number {
  if (!kernel) return dimension.kind === 'choice' ? -Math.log(dimension.values.length) : 0
  if ('favored' in kernel) return place === kernel.favored ? kernel.own : kernel.other
  const distance = ((place as number) - kernel.center) / kernel.width
  return kernel.height - (distance * distance) / 2
}

/**
 * Returns a function that turns points into kernels in one dimension; the more scattered the
 * points, the wider the kernels.
 */
function kernelMaker(
  dimension: Dimension,
  name: string,
  points: readonly Parameters[],
  dimensions: number,
): (value: Value) => Kernel {
  if (dimension.kind === 'choice') {
    const other = SPREAD / dimension.values.length
    const logs = { own: Math.log(1 - SPREAD + other), other: Math.log(other) }
    return (favored) => ({ favored, ...logs })
  }
  const places = points.flatMap((point) =>
    name in point ? [toUnit(dimension, point[name] as number)] : [],
  )
  const width = Math.max(
    scatter(places) * places.length ** (-1 / (dimensions + 4)),
    grain(dimension),
    NARROWEST,
  )
  return (value) => {
    const center = toUnit(dimension, value as number)
    const inside = cumulative((1 - center) / width) - cumulative(-center / width)
    const height = -Math.log(width * Math.sqrt(2 * Math.PI) * inside)
    return { center, width, height }
  }
}

/**
 * Computes the standard deviation of positions, as if the whole range were one more point: a few
 * similar points prove little.
 */
function scatter(places: readonly number[]): number {
  const mean = places.reduce((sum, place) => sum + place, 0) / places.length
  const squares = places.reduce((sum, place) => sum + (place - mean) ** 2, 0)
  return Math.sqrt((squares + 1 / 12) / (places.length + 1))
}

/** Draws from a normal distribution until the number is between 0 and 1. */
function within(center: number, width: number, words: Words): number {
  while (true) {
    const place = center + width * normal(words)
    // At least a third of the draws are, since the center is and no width exceeds 1.
    if (place >= 0 && place <= 1) return place
  }
}

/** Computes the cumulative normal distribution to seven digits (Abramowitz and Stegun 26.2.17). */
function cumulative(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x))
  const series =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  const tail = (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * series
  return x > 0 ? 1 - tail : tail
}
