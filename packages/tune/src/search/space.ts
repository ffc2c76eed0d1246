import { below, fraction, type Words } from '@kith/base/random'
import { KithError } from '@kith/core'

/** A value of a dimension. */
export type Value = number | string | boolean

/**
 * Makes a dimension part of the search only if another dimension, declared before it, has a value.
 */
export interface Condition {
  dimension: string
  is: Value
}

/** Numbers in a range; with `log`, equal ratios are equally likely. */
export interface FloatDimension {
  kind: 'float'
  from: number
  to: number
  log?: boolean
  when?: Condition
}

/** Whole numbers from, from + step, … up to `to`. */
export interface IntegerDimension {
  kind: 'integer'
  from: number
  to: number
  step?: number
  log?: boolean
  when?: Condition
}

/** A choice among unordered values. */
export interface ChoiceDimension {
  kind: 'choice'
  values: readonly Value[]
  when?: Condition
}

export type Dimension = FloatDimension | IntegerDimension | ChoiceDimension
export type NumericDimension = FloatDimension | IntegerDimension

/** The dimensions of a search, by name; conditions refer only to dimensions before their own. */
export type Space = Readonly<Record<string, Dimension>>

/** A point of a space: a value for every active dimension. */
export type Parameters = Readonly<Record<string, Value>>

/**
 * The number of significant digits of floats: smaller differences do not matter, and more digits
 * are hard to read.
 */
const DIGITS = 4

/** Returns whether a dimension is active, given the dimensions before it. */
export function isActive({ when }: Dimension, parameters: Parameters): boolean {
  return when === undefined || parameters[when.dimension] === when.is
}

/** Builds a point of a space, dimension by dimension, with a function that chooses the values. */
export function fill(
  space: Space,
  choose: (name: string, dimension: Dimension) => Value,
): Parameters {
  const parameters: Record<string, Value> = {}
  for (const [name, dimension] of Object.entries(space)) {
    if (isActive(dimension, parameters)) parameters[name] = choose(name, dimension)
  }
  return parameters
}

/** Draws a value uniformly. */
export function draw(dimension: Dimension, words: Words): Value {
  if (dimension.kind !== 'choice') return fromUnit(dimension, fraction(words))
  return dimension.values[below(dimension.values.length, words)]!
}

/** Maps a number to its position between the ends of its dimension, from 0 to 1. */
export function toUnit(dimension: NumericDimension, value: number): number {
  const [low, high] = bounds(dimension)
  if (!dimension.log) return (value - low) / (high - low)
  return Math.log(value / low) / Math.log(high / low)
}

/** Maps a position to its number. */
export function fromUnit(dimension: NumericDimension, place: number): number {
  const [low, high] = bounds(dimension)
  const value = dimension.log ? low * (high / low) ** place : low + (high - low) * place
  const { from, to } = dimension
  if (dimension.kind === 'float') {
    return Math.min(to, Math.max(from, Number(value.toPrecision(DIGITS))))
  }
  const step = dimension.step ?? 1
  const steps = Math.round((value - from) / step)
  return from + step * Math.min(Math.floor((to - from) / step), Math.max(0, steps))
}

/** Returns the approximate distance of adjacent whole numbers as positions; 0 for floats. */
export function grain(dimension: NumericDimension): number {
  return dimension.kind === 'float'
    ? 0
    : 1 / (Math.floor((dimension.to - dimension.from) / (dimension.step ?? 1)) + 1)
}

/**
 * Returns the ends of a dimension. The range of whole numbers is half a step wider, so that the
 * first and the last number are as likely as the others.
 */
function bounds(dimension: NumericDimension): [low: number, high: number] {
  const { kind, from, to } = dimension
  if (kind === 'float') return [from, to]
  const step = dimension.step ?? 1
  return [from - step / 2, from + step * (Math.floor((to - from) / step) + 0.5)]
}

/** Refuses a space that cannot be searched. */
export function checkSpace(space: Space): void {
  const before = new Set<string>()
  for (const [name, dimension] of Object.entries(space)) {
    const refuse = (problem: string): never => {
      throw new KithError('BAD_SETTING', `dimension ${name} of the search space ${problem}`)
    }
    const { when } = dimension
    if (when && !before.has(when.dimension)) {
      refuse(`depends on ${when.dimension}, which must be a dimension before it`)
    }
    before.add(name)
    if (dimension.kind === 'choice') {
      if (dimension.values.length === 0) refuse('has no values')
      continue
    }
    const { kind, from, to, log } = dimension
    const whole = kind === 'float' || [from, to, dimension.step ?? 1].every(Number.isSafeInteger)
    if (!whole) refuse('must have whole numbers')
    if (kind === 'integer' && (dimension.step ?? 1) < 1) refuse('must have a step of at least 1')
    const ordered = kind === 'float' ? from < to : from <= to
    if (!(Number.isFinite(from) && Number.isFinite(to) && ordered)) {
      refuse(`must have from below to, got ${from} to ${to}`)
    }
    if (log && bounds(dimension)[0] <= 0) refuse('is logarithmic and must start above 0')
  }
}
