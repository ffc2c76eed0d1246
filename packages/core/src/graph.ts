import type { Context } from './context.ts'
import { SMALLEST_SQUARE } from './cosine.ts'
import { KithError } from './error.ts'
import type { Engine } from './kernel/engine.ts'
import type { Rows } from './matrix.ts'
import { standardise } from './mix.ts'
import type { Settings, ViewWeights } from './settings.ts'
import { viewWeights } from './view-weights.ts'

/** Squared lengths up to this one keep inner products and their cosines within float32. */
const LARGEST_SQUARE = 1e36

/**
 * Sections 1 and 4: computes the similarities of every view, builds the graph
 * from them, and returns the geometric term of each probe.
 */
export function buildGraph(
  engine: Engine,
  context: Context,
  probes: readonly number[],
  settings: Settings,
): Float32Array[] {
  const weights = viewWeights(context, settings)
  openEngine(engine, context, weights, settings)
  const only = weights.size === 1 && weights.has('vectors')
  if (only) return oneView(engine, context, probes, settings)
  if (settings.mix === 'raw') {
    throw new KithError(
      'BAD_SETTING',
      'setting mix is "raw", several views need \'standard\': their scales differ',
    )
  }
  return severalViews(engine, context, probes, settings, weights)
}

function openEngine(
  engine: Engine,
  context: Context,
  weights: ReadonlyMap<string, ViewWeights>,
  settings: Settings,
): void {
  let dimensions = 0
  for (const [name, rows] of context.views) {
    if (weights.has(name)) dimensions = Math.max(dimensions, rows.dimensions)
  }
  engine.open({
    rows: context.rows,
    dimensions,
    postings: weights.has('texts') ? context.texts!.count : 0,
    blended: weights.size > 1,
    k: Math.min(settings.k, context.rows - 1),
    kExp: settings.kExp,
    trust: settings.trust,
  })
}

/** S is the graph, and its scaled rows are the geometric terms. */
function oneView(
  engine: Engine,
  context: Context,
  probes: readonly number[],
  settings: Settings,
): Float32Array[] {
  vectorSimilarity(engine, context, context.views.get('vectors')!, settings)
  if (settings.metric === 'cosine') engine.cosine()
  engine.adopt()
  engine.scale(settings.scale)
  return probes.map((probe) => engine.graphRow(probe))
}

/** G = Σ b_v · S_v with cosines, and g = Σ a_v · z(S_v[probe, ·]). */
function severalViews(
  engine: Engine,
  context: Context,
  probes: readonly number[],
  settings: Settings,
  weights: ReadonlyMap<string, ViewWeights>,
): Float32Array[] {
  const terms = probes.map(() => new Float32Array(context.rows))
  const addTerms = (score: number): void => {
    probes.forEach((probe, p) => {
      const z = standardise(engine.row(probe), probe)
      const term = terms[p]!
      for (let c = 0; c < term.length; c++) term[c]! += score * z[c]!
    })
  }
  let first = true
  for (const [name, { graph, score }] of weights) {
    if (name === 'texts') {
      engine.text(context.texts!)
      addTerms(score)
    } else {
      vectorSimilarity(engine, context, context.views.get(name)!, settings)
      // The geometric term may use the inner product: standardising removes its scale.
      if (settings.metric === 'dot') addTerms(score)
      engine.cosine()
      if (settings.metric === 'cosine') addTerms(score)
    }
    engine.blend(graph, first)
    first = false
  }
  engine.scale(settings.scale)
  return terms
}

/** S of one view's vectors, whose numbers this checks. */
function vectorSimilarity(engine: Engine, context: Context, rows: Rows, settings: Settings): void {
  const { data, stride } = engine.vectors(rows.dimensions)
  rows.copyTo(data, stride)
  engine.gram()
  // A vector's product with itself shows whether all is well with it, and by
  // Cauchy and Schwarz with its other products: nothing else needs a look.
  const squares = engine.diagonal()
  const fits = squares.every((square) => square >= SMALLEST_SQUARE && square <= LARGEST_SQUARE)
  if (fits) return
  const { data: again } = engine.vectors(rows.dimensions)
  rows.copyTo(again, stride)
  const rescaled = checkVectors(again, stride, rows, squares, context, settings)
  if (rescaled) engine.gram()
}

/**
 * Finds the number that is not finite. Vectors that are fine but too long or
 * too short for float32 products are brought to a length of about 1, where only
 * cosines are asked for; inner products of that size are an error.
 */
function checkVectors(
  data: Float32Array,
  stride: number,
  { count, dimensions }: Rows,
  squares: Float32Array,
  context: Context,
  { metric }: Settings,
): boolean {
  let rescaled = false
  for (let i = 0; i < count; i++) {
    const row = data.subarray(i * stride, i * stride + dimensions)
    const column = row.findIndex((value) => !Number.isFinite(value))
    if (column >= 0) {
      throw new KithError(
        'BAD_VECTOR',
        `${context.nameOf(i)} has ${row[column]} in column ${column}`,
      )
    }
    const square = squares[i]!
    if (square >= SMALLEST_SQUARE && square <= LARGEST_SQUARE) continue
    const largest = row.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    if (largest === 0) continue
    if (metric === 'dot') {
      if (square <= LARGEST_SQUARE) continue
      throw new KithError(
        'BAD_VECTOR',
        `${context.nameOf(i)} is too long for inner products in float32: its largest number is ${largest}; use metric 'cosine'`,
      )
    }
    for (let j = 0; j < row.length; j++) row[j]! /= largest
    rescaled = true
  }
  return rescaled
}
