import { KithError } from '@kith/core'
import type { Dim, operations, Value } from '@kith/encoder/internal'

/** The candidate lists of a batch, each padded to the length of the longest list. */
export interface PaddedLists {
  /** The number of candidates of each query. */
  lengths: readonly number[]
  longest: number
  /** Target probabilities, queries × longest; 0 for padding. */
  target: Float32Array
}

/** An input of a loss: its axes in the graph, and its numbers for a batch. */
export interface LossInput {
  axes: readonly Dim[]
  numbers(lists: PaddedLists): { data: Float32Array; dims: readonly number[] }
}

/** The settings of losses. */
export interface LossSettings {
  /** The margin of the `max-margin` loss. */
  margin: number
}

/** A loss function. */
export interface LossFunction {
  /** The inputs of the loss besides the scores, by name. */
  inputs: Readonly<Record<string, LossInput>>
  /**
   * Appends the loss of each query, batch × 1, to the graph of the candidates' scores, batch ×
   * candidates. The operations are a parameter, so that the names of losses are available without
   * loading the encoder.
   */
  build(
    op: typeof operations,
    scores: Value,
    inputs: Readonly<Record<string, Value>>,
    settings: LossSettings,
  ): Value
  /**
   * Returns the part of a query's loss that is constant in the weights; the graph leaves it out.
   */
  constant(target: Float64Array): number
  /**
   * Whether the loss learns a distribution over all candidates, such as a teacher's; otherwise
   * every candidate with a probability above 0 counts as relevant.
   */
  softTargets: boolean
  /**
   * Whether the loss learns almost nothing if the softmax over the candidates is nearly uniform.
   */
  needsSharpSoftmax: boolean
}

/** Lower than any score: excludes a candidate from a softmax. */
const NEVER = -1e9

const target: LossInput = perCandidate(({ target }) => target)

/** 1 for padding after the end of a list, else 0. */
const padding: LossInput = perCandidate(({ lengths, longest }) => {
  const data = new Float32Array(lengths.length * longest)
  lengths.forEach((length, query) => {
    data.fill(1, query * longest + length, (query + 1) * longest)
  })
  return data
})

/** 1 for candidates that are not relevant, else 0. */
const others: LossInput = perCandidate(({ lengths, longest, target }) => {
  const data = new Float32Array(target.length)
  lengths.forEach((length, query) => {
    const start = query * longest
    for (let i = start; i < start + length; i++) if (target[i] === 0) data[i] = 1
  })
  return data
})

/**
 * One column per relevant candidate, with 1 in the candidate's row: relevant candidates are few, so
 * there are few pairs with other candidates.
 */
const picks: LossInput = {
  axes: ['batch', 'candidates', 'relevant'],
  numbers({ lengths, longest, target }) {
    const relevant = lengths.map((_, query) => {
      const list = target.subarray(query * longest, (query + 1) * longest)
      return Array.from(list.keys()).filter((i) => list[i]! > 0)
    })
    const most = relevant.reduce((count, { length }) => Math.max(count, length), 0)
    const data = new Float32Array(target.length * most)
    relevant.forEach((places, query) => {
      places.forEach((place, i) => {
        data[(query * longest + place) * most + i] = 1
      })
    })
    return { data, dims: [lengths.length, longest, most] }
  },
}

/** The KL divergence of the target from the softmax over a query's whole candidate list. */
const kl = loss({
  inputs: { target, padding },
  build(op, scores, { target, padding }) {
    const likelihoods = op.logSoftmax(op.add(scores, op.multiply(padding, NEVER)))
    return op.multiply(op.sum(op.multiply(target, likelihoods), 1), -1)
  },
  // The graph computes the cross-entropy; the KL divergence subtracts the entropy of the target.
  constant: (target) => -entropyOf(target),
  softTargets: true,
  needsSharpSoftmax: true,
})

/** InfoNCE: contrasts each relevant candidate with all candidates that are not relevant. */
const infonce = loss({
  inputs: { target, others },
  build(op, scores, { target, others }) {
    const absent = op.multiply(op.add(op.multiply(others, -1), 1), NEVER)
    const crowd = op.logSumExp(op.add(scores, absent))
    return op.sum(op.multiply(target, op.softplus(op.subtract(crowd, scores))), 1)
  },
})

/**
 * Max-margin: each relevant candidate should score `margin` above each candidate that is not
 * relevant; the mean over these pairs, weighted by the target probabilities.
 */
const maxMargin = loss({
  inputs: { target, others, picks },
  build(op, scores, { target, others, picks }, { margin }) {
    const [batch, candidates] = scores.shape as [string, string]
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
  },
})

/** All losses, by their names in settings and on the command line. */
const losses = { kl, infonce, 'max-margin': maxMargin } satisfies Record<string, LossFunction>

/** The name of a loss. */
export type Loss = keyof typeof losses

/** The names of all losses. */
export const lossNames = Object.keys(losses) as readonly Loss[]

/** Returns the loss with a name. */
export function lossNamed(name: Loss): LossFunction {
  if (Object.hasOwn(losses, name)) return losses[name]
  throw new KithError('BAD_SETTING', `loss must be one of ${lossNames.join(', ')}, got "${name}"`)
}

/** Returns the entropy of probabilities, −Σ t ln t, in nats. */
export function entropyOf(probabilities: Float64Array): number {
  return probabilities.reduce((sum, value) => (value > 0 ? sum - value * Math.log(value) : sum), 0)
}

/** Completes a loss with defaults; `build` gets the inputs by name. */
function loss<Inputs extends Record<string, LossInput>>(
  given: Partial<Omit<LossFunction, 'inputs' | 'build'>> & {
    inputs: Inputs
    build(
      op: typeof operations,
      scores: Value,
      inputs: { readonly [Name in keyof Inputs]: Value },
      settings: LossSettings,
    ): Value
  },
): LossFunction {
  const { build } = given
  return {
    constant: () => 0,
    softTargets: false,
    needsSharpSoftmax: false,
    ...given,
    build: (op, scores, inputs, settings) =>
      build(op, scores, inputs as { [Name in keyof Inputs]: Value }, settings),
  }
}

/** Creates an input with one number per candidate. */
function perCandidate(numbers: (lists: PaddedLists) => Float32Array): LossInput {
  return {
    axes: ['batch', 'candidates'],
    numbers: (lists) => ({ data: numbers(lists), dims: [lists.lengths.length, lists.longest] }),
  }
}
