import type { Context } from '../context.ts'
import { KithError } from '../error.ts'
import type { Engine } from '../kernel/engine.ts'
import type { Settings, ViewWeights } from '../settings/settings.ts'
import type { MetricUse } from './metric.ts'
import { type GeometricTerm, noiseOf, ROUNDING, standardize } from './mix.ts'
import { vectorSimilarity } from './vector-similarity.ts'
import { scoreTerm, viewWeights } from './view-weights.ts'

/** The steps whose results can be remembered: they compute them, or put them into an engine again. */
export interface Recall {
  /** S of a view: inner products, and the metric that is to be made of them. */
  vectors: typeof vectorSimilarity
  /** S of the texts. */
  texts(engine: Engine, context: Context): void
  /** The nearest neighbors in the graph. */
  nearest(engine: Engine, metric: MetricUse | undefined): void
}

const computed: Recall = {
  vectors: vectorSimilarity,
  texts: (engine, { texts }) => engine.text(texts!),
  nearest: (engine) => engine.rank(),
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
): GeometricTerm[] {
  const weights = viewWeights(context, settings)
  const usesWords = settings.mix === 'words' && context.texts !== undefined
  const oneOnly = weights.size === 1 && weights.has('vectors') && context.missing.length === 0
  // The support is a mean of cosines, also where the texts have no weight in the graph.
  const alone = oneOnly && !usesWords
  openEngine(engine, context, weights, settings, !alone)
  if (alone) return oneView(engine, context, probes, settings, recall)
  if (settings.mix === 'raw') {
    throw new KithError(
      'BAD_SETTING',
      'setting mix is "raw", several views need \'standard\': their scales differ',
    )
  }
  return severalViews(engine, context, probes, settings, recall, weights)
}

function openEngine(
  engine: Engine,
  context: Context,
  weights: ReadonlyMap<string, ViewWeights>,
  settings: Settings,
  blended: boolean,
): void {
  let dimensions = 0
  for (const [name, rows] of context.views) {
    if (weights.has(name)) dimensions = Math.max(dimensions, rows.dimensions)
  }
  // The words score needs the postings also where the texts have no weight in the graph.
  const usesTexts = weights.has('texts') || settings.mix === 'words'
  engine.open({
    rows: context.rows,
    dimensions,
    postings: usesTexts ? (context.texts?.count ?? 0) : 0,
    blended,
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
  recall: Recall,
): GeometricTerm[] {
  const metric = recall.vectors(engine, context, 'vectors', settings.metric, true)
  if (metric.name === 'cosine') engine.cosine()
  const noise = noiseOf(engine, probes)
  engine.adopt()
  if (settings.rowScaling === 'none') {
    return probes.map((probe, p) => ({ values: engine.graphRow(probe), noise: noise[p]!, metric }))
  }
  const before = probes.map((probe) => engine.graphRow(probe))
  engine.scale(settings.rowScaling)
  return probes.map((probe, p) => {
    const values = engine.graphRow(probe)
    return { values, noise: noise[p]! * ratio(values, before[p]!), metric }
  })
}

/** The factor that a row was multiplied by, taken from its largest entry. */
function ratio(after: Float32Array, before: Float32Array): number {
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
): GeometricTerm[] {
  const scored = scoreTerm(context, weights)
  const terms = probes.map((probe) =>
    probe === 0 ? Float32Array.from(scored) : new Float32Array(context.rows),
  )
  const addTerms = (score: number, missing: readonly number[]): void => {
    const noise = noiseOf(engine, probes)
    probes.forEach((probe, p) => {
      const z = standardize(engine.row(probe), [probe, ...missing], noise[p]!)
      // A candidate without a vector is as similar as the others are on the average.
      for (const row of missing) z[row] = 0
      const term = terms[p]!
      for (let c = 0; c < term.length; c++) term[c]! += score * z[c]!
    })
  }
  let first = true
  let main: MetricUse | undefined
  for (const [name, { graph, score }] of weights) {
    if (name === 'texts') {
      recall.texts(engine, context)
      if (score > 0) addTerms(score, [])
    } else {
      const missing = name === 'vectors' ? context.missing : []
      const metric = recall.vectors(engine, context, name, settings.metric, false)
      if (name === 'vectors') main = metric
      // The geometric term may use the inner product: standardizing removes its scale.
      if (metric.name === 'dot') addTerms(score, missing)
      engine.cosine()
      if (metric.name === 'cosine') addTerms(score, missing)
      engine.fill(missing)
    }
    engine.blend(graph, first)
    first = false
  }
  engine.scale(settings.rowScaling)
  return terms.map((values) => ({ values, noise: ROUNDING, metric: main }))
}

/** Sections 2 and 3 over the graph that the engine holds: ranks, reciprocal sets, neighbor vectors. */
export function findNeighbors(
  engine: Engine,
  settings: Settings,
  metric?: MetricUse,
  recall = computed,
): void {
  recall.nearest(engine, metric)
  engine.reciprocal(settings)
  engine.weigh(settings)
}
