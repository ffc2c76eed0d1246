import type { Context } from '../context.ts'
import type { Engine } from '../kernel/engine.ts'
import { evidenceOf } from './evidence.ts'
import type { CheckedGroundTruth } from './ground-truth.ts'
import type { LabelSettings } from './label-settings.ts'
import { normalize } from './normalize.ts'

/** Labels of a query's candidates. */
export interface Labels {
  /** r'': the evidence that each of the N candidates is relevant. */
  evidence: Float64Array
  /** The indices of the candidates with a label above 0, in descending order of it. */
  kept: Uint32Array
  /** Probabilities: target[i] belongs to kept[i]; they sum to 1. */
  target: Float64Array
}

/** Section 6 over one context. */
export function labelsOf(
  engine: Engine,
  context: Context,
  groundTruth: CheckedGroundTruth,
  settings: LabelSettings,
): Labels {
  if (settings.target === 'one-hot') return uniform(context, groundTruth, 0)
  if (settings.target === 'uniform') {
    return uniform(context, groundTruth, epsilonOf(engine, context, groundTruth, settings))
  }
  const evidence = evidenceOf(engine, context, groundTruth, settings)
  return { evidence, ...targetOf(evidence, groundTruth, settings) }
}

/** Steps 4 to 7: cut, normalize, boost, softmax. */
function targetOf(
  evidence: Float64Array,
  { rows }: CheckedGroundTruth,
  settings: LabelSettings,
): Pick<Labels, 'kept' | 'target'> {
  const known = new Set<number>()
  for (const row of rows) known.add(row - 1)
  const candidates = keep(evidence, known, settings)
  const own = valuesOf(evidence, candidates)
  const over = settings.normalizeOver === 'kept' ? own : evidence
  const logits = normalize(own, over, settings.normalize)
  for (let i = 0; i < logits.length; i++) {
    if (known.has(candidates[i]!)) logits[i]! *= settings.boost
  }
  return inOrder(candidates, softmax(logits))
}

/** Step 4: the candidates with most evidence, ties to the lower one; ground truth first if it must stay. */
function keep(
  evidence: Float64Array,
  known: ReadonlySet<number>,
  settings: Pick<LabelSettings, 'labelDepth' | 'keepGroundTruth'>,
): number[] {
  if (!settings.keepGroundTruth) return highest(evidence, settings.labelDepth, noOne)
  return [...known, ...highest(evidence, settings.labelDepth - known.size, known)]
}

const noOne: ReadonlySet<number> = new Set()

/** The candidates with most evidence, without some: nearly all fail the first comparison. */
function highest(evidence: Float64Array, count: number, without: ReadonlySet<number>): number[] {
  const found: number[] = []
  if (count <= 0) return found
  for (let c = 0; c < evidence.length; c++) {
    const value = evidence[c]!
    const full = found.length === count
    if ((full && value <= evidence[found[count - 1]!]!) || without.has(c)) continue
    if (full) found.pop()
    let place = found.length
    while (place > 0 && evidence[found[place - 1]!]! < value) place--
    found.splice(place, 0, c)
  }
  return found
}

/** The judgments alone: ε is taken from the ground truth and spread evenly over all others. */
function uniform({ rows }: Context, groundTruth: CheckedGroundTruth, epsilon: number): Labels {
  const candidates = rows - 1
  const judged = groundTruth.rows.length
  // Without an unjudged candidate, the ground truth keeps all of it.
  const given = candidates > judged ? epsilon : 0
  const evidence = new Float64Array(candidates)
  const labels = new Float64Array(candidates).fill(given / (candidates - judged))
  groundTruth.rows.forEach((row, l) => {
    evidence[row - 1] = groundTruth.grades[l]!
    labels[row - 1] = (1 - given) / judged
  })
  const kept: number[] = []
  for (let c = 0; c < candidates; c++) if (labels[c]! > 0) kept.push(c)
  return { evidence, ...inOrder(kept, valuesOf(labels, kept)) }
}

/** ε, or the probability that `mixed` moves away from the ground truth. */
function epsilonOf(
  engine: Engine,
  context: Context,
  groundTruth: CheckedGroundTruth,
  settings: LabelSettings,
): number {
  if (settings.epsilon !== 'match-mixed') return settings.epsilon
  const { kept, target } = labelsOf(engine, context, groundTruth, { ...settings, target: 'mixed' })
  let moved = 0
  kept.forEach((candidate, i) => {
    if (!groundTruth.rows.includes(candidate + 1)) moved += target[i]!
  })
  return moved
}

/** Probabilities in proportion to e to the power of each number. */
export function softmax(logits: Float64Array): Float64Array {
  let high = -Infinity
  for (let i = 0; i < logits.length; i++) high = Math.max(high, logits[i]!)
  const powers = new Float64Array(logits.length)
  let sum = 0
  for (let i = 0; i < powers.length; i++) sum += powers[i] = Math.exp(logits[i]! - high)
  for (let i = 0; i < powers.length; i++) powers[i]! /= sum
  return powers
}

/** Candidates by descending label, ties to the lower one. */
function inOrder(
  candidates: readonly number[],
  labels: Float64Array,
): Pick<Labels, 'kept' | 'target'> {
  const order = new Uint32Array(candidates.length)
  for (let i = 0; i < order.length; i++) order[i] = i
  order.sort((a, b) => labels[b]! - labels[a]! || candidates[a]! - candidates[b]!)
  const kept = new Uint32Array(order.length)
  for (let i = 0; i < kept.length; i++) kept[i] = candidates[order[i]!]!
  return { kept, target: valuesOf(labels, order) }
}

function valuesOf(values: Float64Array, chosen: ArrayLike<number>): Float64Array {
  const picked = new Float64Array(chosen.length)
  for (let i = 0; i < picked.length; i++) picked[i] = values[chosen[i]!]!
  return picked
}
