import { KithError } from '@kith/core'
import { operations as op, type Value } from '@kith/encoder/internal'

/**
 * The loss that is minimised: the KL divergence of the target from the softmax over a query's
 * whole candidate list, or one of two baselines that know relevant and other
 * candidates only. InfoNCE sets each relevant candidate against all others, max-margin
 * wants it above each other one by `margin`.
 */
export type Loss = 'kl' | 'infonce' | 'max-margin'

/** Below any score: a candidate with it has no part in a softmax. */
const NEVER = -1e9

/**
 * The loss of each query, batch × 1, from its candidates' scores, batch × candidates.
 *
 * For `kl` it is the cross-entropy: the entropy of the target, which no weight changes,
 * is left to `entropyOf`. The graph gets the input `target`, probabilities, and
 * `padding`, 1 behind the end of a list, or for the baselines `others`, 1 for
 * candidates that are not relevant.
 */
export function lossOf(loss: Loss, scores: Value, margin: number): Value {
  const { graph, shape } = scores
  const target = graph.input('target', 'float32', shape)
  const lastAxis = shape.length - 1
  if (loss === 'kl') {
    const padding = graph.input('padding', 'float32', shape)
    const likelihoods = op.logSoftmax(op.add(scores, op.multiply(padding, NEVER)))
    return op.multiply(op.sum(op.multiply(target, likelihoods), lastAxis), -1)
  }
  const others = graph.input('others', 'float32', shape)
  if (loss === 'infonce') {
    const absent = op.multiply(op.add(op.multiply(others, -1), 1), NEVER)
    const crowd = op.logSumExp(op.add(scores, absent))
    return op.sum(op.multiply(target, op.softplus(op.subtract(crowd, scores))), lastAxis)
  }
  if (loss === 'max-margin') return maxMargin(scores, target, others, margin)
  throw new KithError('BAD_SETTING', `loss is "${loss}", allowed: kl, infonce, max-margin`)
}

/** The mean over all pairs of a relevant candidate and another one. */
function maxMargin(scores: Value, target: Value, others: Value, margin: number): Value {
  const { graph, shape } = scores
  const [batch, candidates] = shape as [string, string]
  // Column p picks the p-th relevant candidate: they are few, so the pairs stay few.
  const picks = graph.input('picks', 'float32', [batch, candidates, 'relevant'])
  const pick = (x: Value) => op.matmul(op.reshape(x, [batch, 1, candidates]), picks)
  const relevant = op.transpose(pick(scores), [0, 2, 1])
  const shares = op.transpose(pick(target), [0, 2, 1])
  const all = op.reshape(scores, [batch, 1, candidates])
  const violations = op.relu(op.add(op.subtract(all, relevant), margin))
  const weights = op.divide(others, op.add(op.sum(others, 1), 1e-9))
  const perPair = op.multiply(
    op.multiply(violations, shares),
    op.reshape(weights, [batch, 1, candidates]),
  )
  return op.reshape(op.sum(op.sum(perPair, 2), 1), [batch, 1])
}

/** Σ t ln t: added to a cross-entropy with the target t, it gives the divergence from t. */
export function entropyOf(target: Float64Array): number {
  return target.reduce((sum, value) => sum + (value > 0 ? value * Math.log(value) : 0), 0)
}
