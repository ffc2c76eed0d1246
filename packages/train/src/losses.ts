import { KithError } from '@kith/core'
import type { Dim, operations, Value } from '@kith/encoder/internal'

/** The candidate lists of a batch, each padded to the longest one. */
export interface PaddedLists {
  /** How many candidates each query has. */
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

/** The settings that losses have. */
export interface LossSettings {
  /** The margin of max-margin. */
  margin: number
}

/** A loss that can be minimized. */
export interface LossFunction {
  /** The inputs that its part of the graph takes besides the scores, by name. */
  inputs: Readonly<Record<string, LossInput>>
  /**
   * Appends the loss of each query, batch × 1, to the graph of the candidates' scores,
   * batch × candidates. The operations are passed in: the names of losses are known without the
   * encoder.
   */
  build(
    op: typeof operations,
    scores: Value,
    inputs: Readonly<Record<string, Value>>,
    settings: LossSettings,
  ): Value
  /** The part of a query's loss that no weight changes, and that its graph leaves out. */
  constant(target: Float64Array): number
  /**
   * Whether it learns a distribution over all candidates, such as a teacher gives; otherwise every
   * candidate with a probability counts as relevant.
   */
  softTargets: boolean
  /** Whether it learns next to nothing if the softmax over the candidates is nearly flat. */
  needsSharpSoftmax: boolean
}

/** Below any score: a candidate with it has no part in a softmax. */
const NEVER = -1e9

const target: LossInput = perCandidate(({ target }) => target)

/** 1 behind the end of a list. */
const padding: LossInput = perCandidate(({ lengths, longest }) => {
  const data = new Float32Array(lengths.length * longest)
  lengths.forEach((length, query) => {
    data.fill(1, query * longest + length, (query + 1) * longest)
  })
  return data
})

/** 1 for candidates that are not relevant. */
const others: LossInput = perCandidate(({ lengths, longest, target }) => {
  const data = new Float32Array(target.length)
  lengths.forEach((length, query) => {
    const start = query * longest
    for (let i = start; i < start + length; i++) if (target[i] === 0) data[i] = 1
  })
  return data
})

/** A column per relevant candidate, 1 at its place: they are few, so pairs with others stay few. */
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
  // The graph has the cross-entropy.
  constant: (target) => -entropyOf(target),
  softTargets: true,
  needsSharpSoftmax: true,
})

/** InfoNCE sets each relevant candidate against all others. */
const infonce = loss({
  inputs: { target, others },
  build(op, scores, { target, others }) {
    const absent = op.multiply(op.add(op.multiply(others, -1), 1), NEVER)
    const crowd = op.logSumExp(op.add(scores, absent))
    return op.sum(op.multiply(target, op.softplus(op.subtract(crowd, scores))), 1)
  },
})

/** Wants each relevant candidate above each other one by `margin`: the mean over all such pairs. */
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

/** All losses, by the names that settings and the command line have for them. */
const losses = { kl, infonce, 'max-margin': maxMargin } satisfies Record<string, LossFunction>

/** The name of a loss. */
export type Loss = keyof typeof losses

/** The names of all losses. */
export const lossNames = Object.keys(losses) as readonly Loss[]

/** The loss with a name. */
export function lossNamed(name: Loss): LossFunction {
  if (Object.hasOwn(losses, name)) return losses[name]
  throw new KithError('BAD_SETTING', `loss must be one of ${lossNames.join(', ')}, got "${name}"`)
}

/** The entropy of probabilities, −Σ t ln t, in nats. */
export function entropyOf(probabilities: Float64Array): number {
  return probabilities.reduce((sum, value) => (value > 0 ? sum - value * Math.log(value) : sum), 0)
}

/** Completes a loss; `build` knows the inputs by their names. */
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

/** An input with a number for each candidate. */
function perCandidate(numbers: (lists: PaddedLists) => Float32Array): LossInput {
  return {
    axes: ['batch', 'candidates'],
    numbers: (lists) => ({ data: numbers(lists), dims: [lists.lengths.length, lists.longest] }),
  }
}
