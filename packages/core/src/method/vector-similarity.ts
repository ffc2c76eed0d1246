import { type Context, nameOf } from '../context.ts'
import { KithError } from '../error.ts'
import type { Engine, Square } from '../kernel/engine.ts'
import { rowsOf } from '../matrix.ts'
import type { Settings } from '../settings/settings.ts'
import { chooseMetric, LARGEST_SQUARE, type MetricUse } from './metric.ts'
import { SMALLEST_SQUARE } from './similarity-steps.ts'

/**
 * The rescaling that is allowed for vectors too long or too short for products in float32: none if
 * the metric is the inner product; one factor for all vectors if only proportions matter; one
 * factor for each vector if only cosines matter.
 */
type Rescaling = 'none' | 'common' | 'each'

/** Inner products of one view's vectors, and the metric that they are to have. */
export interface VectorSimilarity {
  s: Square
  /** The diagonal of S: squared lengths. */
  squares: Float64Array
  metric: MetricUse
}

/**
 * Section 1: inner products of one view's vectors, whose numbers this checks, and the metric that S
 * is to have. `alone` says that the inner products count as they are, not in proportion.
 */
export function vectorSimilarity(
  engine: Engine,
  context: Context,
  view: string,
  metric: Settings['metric'],
  alone: boolean,
): VectorSimilarity {
  const found = withMetric(engine.gram(context.views.get(view)!), context, view, metric)
  // A vector's product with itself shows whether all is well with it, and by
  // Cauchy and Schwarz with its other products: nothing else needs a look.
  return allFit(found.squares) ? found : rescaled(engine, context, view, found, alone)
}

/** The similarity of vectors some of which do not fit: it refuses them, or brings them to another length. */
function rescaled(
  engine: Engine,
  context: Context,
  view: string,
  found: VectorSimilarity,
  alone: boolean,
): VectorSimilarity {
  const rows = context.views.get(view)!
  const { squares, metric: use } = found
  const { count, dimensions } = rows
  const data = new Float32Array(count * dimensions)
  rows.copyTo(data, 0, dimensions)
  const vectors = Array.from({ length: count }, (_, i) =>
    data.subarray(i * dimensions, (i + 1) * dimensions),
  )
  const named = (i: number): string =>
    view === 'vectors' ? nameOf(i) : `${nameOf(i)} of view ${view}`
  refuseInfinite(vectors, named)
  const rescaling: Rescaling = use.name === 'cosine' ? 'each' : alone ? 'none' : 'common'
  if (rescaling === 'none') refuseLong(vectors, squares, named)
  else if (rescale(vectors, squares, rescaling)) {
    const fitting = engine.gram(rowsOf({ data, rows: count, dimensions }, 'row'))
    return { s: fitting, squares: fitting.diagonal(), metric: use }
  }
  return found
}

/** Inner products of a view, with their metric. */
export function withMetric(
  s: Square,
  context: Context,
  view: string,
  metric: Settings['metric'],
): VectorSimilarity {
  const missing = view === 'vectors' ? context.missing : []
  const squares = s.diagonal()
  return { s, squares, metric: chooseMetric(metric, { toQuery: s.row(0), squares }, missing) }
}

/** Whether squared lengths are such that float32 computes with them. */
export function allFit(squares: Float64Array): boolean {
  for (let row = 0; row < squares.length; row++) if (!fits(squares[row]!)) return false
  return true
}

function fits(square: number): boolean {
  return square >= SMALLEST_SQUARE && square <= LARGEST_SQUARE
}

function refuseInfinite(vectors: readonly Float32Array[], named: (i: number) => string): void {
  vectors.forEach((vector, i) => {
    const column = vector.findIndex((value) => !Number.isFinite(value))
    if (column < 0) return
    throw new KithError(
      'BAD_VECTOR',
      `${named(i)} has ${vector[column]} in column ${column}; vectors must be finite`,
    )
  })
}

function refuseLong(
  vectors: readonly Float32Array[],
  squares: Float64Array,
  named: (i: number) => string,
): void {
  const i = squares.findIndex((square) => !(square <= LARGEST_SQUARE))
  if (i < 0) return
  throw new KithError(
    'BAD_VECTOR',
    `${named(i)} is too large for inner products in float32 (largest number: ${largestOf(vectors[i]!)}); use metric 'cosine'`,
  )
}

/** Brings vectors to a length that float32 can square; says whether there was anything to do. */
function rescale(
  vectors: readonly Float32Array[],
  squares: Float64Array,
  rescaling: 'common' | 'each',
): boolean {
  const sizes = vectors.map(largestOf)
  const wrong = sizes.map((size, i) => size > 0 && !fits(squares[i]!))
  if (!wrong.includes(true)) return false
  const common = Math.max(...sizes)
  vectors.forEach((vector, i) => {
    if (rescaling === 'each' && !wrong[i]) return
    const divisor = rescaling === 'each' ? sizes[i]! : common
    for (let j = 0; j < vector.length; j++) vector[j]! /= divisor
  })
  return true
}

function largestOf(vector: Float32Array): number {
  return vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
}
