import type { Context } from '../context.ts'
import type { Engine, Square } from '../kernel/engine.ts'
import { buildGraph } from '../method/graph.ts'
import { mix, noiseOf, standardize } from '../method/mix.ts'
import { similarities } from '../method/similarities.ts'
import { vectorSimilarity } from '../method/vector-similarity.ts'
import type { Settings } from '../settings/settings.ts'
import type { CheckedGroundTruth } from './ground-truth.ts'
import type { Aggregate, LabelSettings } from './label-settings.ts'

/** The weight of the words beside the embeddings in `joint`. */
const WORDS = 0.5

/** Section 6, steps 2 and 3: r'' of the N candidates, for the targets that look at similarities. */
export function evidenceOf(
  engine: Engine,
  context: Context,
  { rows, grades }: CheckedGroundTruth,
  settings: LabelSettings,
): Float64Array {
  switch (settings.target) {
    case 'joint':
      // A grade would turn against a candidate whose evidence is below average.
      return aggregate(jointEvidence(engine, context, rows, settings), [], settings.aggregate)
    case 'query-centric':
      return aggregate([buildGraph(engine, context, [0], settings).terms[0]!.values], [], 'mean')
    case 'geometric':
      return aggregate(geometricOnly(engine, context, rows, settings), grades, settings.aggregate)
    case 'rnn':
      return mixedEvidence(engine, context, { rows, grades }, { ...settings, lambda: 0 })
    default:
      return mixedEvidence(engine, context, { rows, grades }, settings)
  }
}

function mixedEvidence(
  engine: Engine,
  context: Context,
  { rows, grades }: CheckedGroundTruth,
  settings: LabelSettings,
): Float64Array {
  const { mixed } = similarities(engine, context, rows, settings)
  return aggregate(mixed, grades, settings.aggregate)
}

/** s* with λ = 1, which needs no neighbors. */
function geometricOnly(
  engine: Engine,
  context: Context,
  rows: readonly number[],
  settings: LabelSettings,
): Float64Array[] {
  const unused = new Float32Array(context.rows)
  return buildGraph(engine, context, rows, settings).terms.map((term, l) =>
    mix(term, unused, rows[l]!, { ...settings, lambda: 1 }),
  )
}

/**
 * The evidence of each candidate, from the similarities of each ground-truth document to all rows.
 */
function aggregate(
  similarities: readonly ArrayLike<number>[],
  grades: readonly number[],
  how: Aggregate,
): Float64Array {
  const evidence = new Float64Array(similarities[0]!.length - 1)
  const share = how === 'mean' ? 1 / similarities.length : 1
  for (let l = 0; l < similarities.length; l++) {
    const row = similarities[l]!
    const factor = share * (grades[l] ?? 1)
    for (let c = 0; c < evidence.length; c++) {
      const value = factor * row[c + 1]!
      if (how !== 'max') evidence[c]! += value
      else if (l === 0 || value > evidence[c]!) evidence[c] = value
    }
  }
  return evidence
}

/**
 * Section 6, `joint`: for each ground-truth document l the sum of z(S[0, ·]) and z(S[l, ·]),
 * and half of the same for the words if there are texts; z over the candidates that
 * are not ground truth.
 */
function jointEvidence(
  engine: Engine,
  context: Context,
  groundTruth: readonly number[],
  { metric }: Pick<Settings, 'metric'>,
): Float64Array[] {
  const evidence = groundTruth.map(() => new Float64Array(context.rows))
  const add = (s: Square, weight: number): void => {
    const [noise, ...noises] = noiseOf(s.diagonal(), [0, ...groundTruth])
    const ofQuery = standardize(s.row(0), groundTruth, noise)
    groundTruth.forEach((row, l) => {
      const ofDocument = standardize(s.row(row), groundTruth, noises[l])
      const sum = evidence[l]!
      for (let c = 0; c < sum.length; c++) sum[c]! += weight * (ofQuery[c]! + ofDocument[c]!)
    })
  }
  engine.scoped(() => {
    const { s, metric: use } = vectorSimilarity(engine, context, 'vectors', metric, false)
    if (use.name === 'cosine') s.toCosines()
    add(s, 1)
  })
  const { texts } = context
  if (texts) engine.scoped(() => add(engine.texts(texts).similarity(), WORDS))
  return evidence
}
