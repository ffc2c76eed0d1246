import type { Context } from '../context.ts'
import type { Engine, Square } from '../kernel/engine.ts'
import { noiseOf, standardize } from '../method/mix.ts'
import { vectorSimilarity } from '../method/vector-similarity.ts'
import type { Settings } from '../settings/settings.ts'

/** The weight of the words beside the embeddings. */
const WORDS = 0.5

/**
 * Section 6, `joint`: for each ground-truth document l the sum of z(S[0, ·]) and z(S[l, ·]),
 * and half of the same for the words where there are texts; z over the candidates that
 * are not ground truth.
 */
export function jointEvidence(
  engine: Engine,
  context: Context,
  groundTruth: readonly number[],
  { metric }: Pick<Settings, 'metric'>,
): Float64Array[] {
  const evidence = groundTruth.map(() => new Float64Array(context.rows))
  const add = (s: Square, weight: number): void => {
    const [noise, ...noises] = noiseOf(s, [0, ...groundTruth])
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
