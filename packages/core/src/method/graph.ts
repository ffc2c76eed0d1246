import type { Context } from '../context.ts'
import { KithError } from '../error.ts'
import type { Engine, Neighborhoods, Square, Texts } from '../kernel/engine.ts'
import type { Settings, ViewWeights } from '../settings/settings.ts'
import type { MetricUse } from './metric.ts'
import { type GeometricTerm, noiseOf, ROUNDING, standardize } from './mix.ts'
import { vectorSimilarity } from './vector-similarity.ts'
import { scoreTerm, usesWords, viewWeights } from './view-weights.ts'

/** The steps whose results can be remembered: they compute them, or put them into an engine again. */
export interface Recall {
  /** S of a view, and the metric that it is to have. */
  vectors: typeof vectorSimilarity
  /** S of the texts, which may be in the engine already. */
  texts(engine: Engine, context: Context, known: Texts | undefined): Square
  /** The neighbors in a graph. */
  neighbors(
    engine: Engine,
    graph: Square,
    settings: Settings,
    metric: MetricUse | undefined,
  ): Neighborhoods
}

/** Remembers nothing. */
export const computed: Recall = {
  vectors: vectorSimilarity,
  texts: (engine, { texts }, known) => (known ?? engine.texts(texts!)).similarity(),
  neighbors: (engine, graph, settings) => engine.neighbors(graph, settings),
}

/** The similarity graph of a context, and the geometric term of each probe. */
export interface ContextGraph {
  graph: Square
  terms: GeometricTerm[]
}

/**
 * Sections 1 and 4: computes the similarities of every view, builds the graph
 * from them, and returns the geometric term of each probe.
 */
export function buildGraph(
  engine: Engine,
  context: Context,
  probes: readonly number[],
  settings: Settings,
  recall = computed,
  texts?: Texts,
): ContextGraph {
  const weights = viewWeights(context, settings)
  const oneOnly = weights.size === 1 && weights.has('vectors') && context.missing.length === 0
  // The support is a mean of cosines, also if the texts have no weight in the graph.
  if (oneOnly && !usesWords(settings, context.texts !== undefined)) {
    return oneView(engine, context, probes, settings, recall)
  }
  if (settings.mix === 'raw') {
    throw new KithError(
      'BAD_SETTING',
      'setting mix must be "standard" with several views, whose scales differ, got "raw"',
    )
  }
  return severalViews(engine, context, probes, settings, recall, weights, texts)
}

/** S is the graph, and its scaled rows are the geometric terms. */
function oneView(
  engine: Engine,
  context: Context,
  probes: readonly number[],
  settings: Settings,
  recall: Recall,
): ContextGraph {
  const { s, metric, squares } = recall.vectors(engine, context, 'vectors', settings.metric, true)
  if (metric.name === 'cosine') s.toCosines()
  const noise = noiseOf(metric.name === 'cosine' ? s.diagonal() : squares, probes)
  const terms: GeometricTerm[] = []
  for (let p = 0; p < probes.length; p++) {
    const values = s.row(probes[p]!)
    terms.push({ values, noise: noise[p]!, metric, similarity: values })
  }
  if (settings.rowScaling === 'none') return { graph: s, terms }
  s.scale(settings.rowScaling)
  for (let p = 0; p < probes.length; p++) {
    const term = terms[p]!
    const scaled = s.row(probes[p]!)
    term.noise *= ratio(scaled, term.values)
    term.values = scaled
  }
  return { graph: s, terms }
}

/** The factor that a row was multiplied by, taken from its largest entry. */
function ratio(after: Float64Array, before: Float64Array): number {
  let largest = 0
  for (let j = 1; j < before.length; j++) {
    if (Math.abs(before[j]!) > Math.abs(before[largest]!)) largest = j
  }
  return before[largest] === 0 ? 0 : Math.abs(after[largest]! / before[largest]!)
}

/** G = Σ b_v · S_v with cosines, and g = Σ a_v · z(S_v[probe, ·]). */
function severalViews(
  engine: Engine,
  context: Context,
  probes: readonly number[],
  settings: Settings,
  recall: Recall,
  weights: ReadonlyMap<string, ViewWeights>,
  texts: Texts | undefined,
): ContextGraph {
  const scored = scoreTerm(context, weights)
  const terms: GeometricTerm[] = []
  for (const probe of probes) {
    const values = new Float64Array(context.rows)
    for (let c = 0; probe === 0 && c < values.length; c++) values[c] = Math.fround(scored[c]!)
    terms.push({ values, noise: ROUNDING, metric: undefined, similarity: undefined })
  }
  let graph: Square | undefined
  for (const [name, { graph: share, score }] of weights) {
    if (name === 'texts') {
      const s = recall.texts(engine, context, texts)
      if (score > 0) addTerms(terms, probes, s, score, [])
      graph = engine.blend(graph, s, share)
      continue
    }
    const main = name === 'vectors'
    const missing = main ? context.missing : []
    const { s, metric } = recall.vectors(engine, context, name, settings.metric, false)
    // The geometric term may use the inner product: standardizing removes its scale.
    if (metric.name === 'cosine') s.toCosines()
    addTerms(terms, probes, s, score, missing)
    for (let p = 0; main && p < probes.length; p++) {
      terms[p]!.metric = metric
      terms[p]!.similarity = without(s.row(probes[p]!), missing)
    }
    if (metric.name === 'dot') s.toCosines()
    s.fill(missing)
    graph = engine.blend(graph, s, share)
  }
  graph!.scale(settings.rowScaling)
  return { graph: graph!, terms }
}

/** Adds the similarities of one view to the geometric term of each probe. */
function addTerms(
  terms: readonly GeometricTerm[],
  probes: readonly number[],
  s: Square,
  score: number,
  missing: readonly number[],
): void {
  const noise = noiseOf(s.diagonal(), probes)
  for (let p = 0; p < probes.length; p++) {
    const probe = probes[p]!
    const z = standardize(s.row(probe), [probe, ...missing], noise[p]!)
    // A candidate without a vector is as similar as the others are on the average.
    for (const row of missing) z[row] = 0
    const { values } = terms[p]!
    // Rounded after each step, as the graph is.
    for (let c = 0; c < values.length; c++) values[c] = Math.fround(values[c]! + score * z[c]!)
  }
}

/** Similarities without the rows that have no vector. */
function without(values: Float64Array, missing: readonly number[]): Float64Array {
  for (const row of missing) values[row] = Number.NaN
  return values
}
