import type { Gradients } from '../graph/gradients.ts'

/** The inputs of an update rule. */
export interface UpdateInput {
  learningRate: number
  /** The step number; the first step is 1. */
  step: number
  beta1: number
  beta2: number
  epsilon: number
}

/**
 * The update w − size · m / (root · √v + epsilon), with moving averages m of the gradients and v of
 * their squares.
 */
export interface Update {
  size: number
  root: number
  epsilon: number
}

/** An update rule; variants of Adam differ in it. */
export type UpdateRule = (input: UpdateInput) => Update

/** Adam with decoupled weight decay: m̂ / (√v̂ + ε). */
export const adamw: UpdateRule = ({ learningRate, step, beta1, beta2, epsilon }) => ({
  size: learningRate / (1 - beta1 ** step),
  root: 1 / Math.sqrt(1 - beta2 ** step),
  epsilon,
})

/** Minimum length of the average at which the variance of the adaptive rate can be rectified. */
const TRACTABLE = 5

/**
 * Rectified Adam: plain momentum while v averages over too few steps, then Adam's update times a
 * factor that grows to 1.
 */
export const radam: UpdateRule = ({ learningRate, step, beta1, beta2, epsilon }) => {
  const size = learningRate / (1 - beta1 ** step)
  const longest = 2 / (1 - beta2) - 1
  const decay = beta2 ** step
  const length = longest - (2 * step * decay) / (1 - decay)
  if (length <= TRACTABLE) return { size, root: 0, epsilon: 1 }
  const now = (length - 4) * (length - 2) * longest
  const end = (longest - 4) * (longest - 2) * length
  return { size: size * Math.sqrt(now / end) * Math.sqrt(1 - decay), root: 1, epsilon }
}

/** The update rules, by their names in settings. */
export const updateRules = { adamw, radam } satisfies Record<string, UpdateRule>

/** The name of an update rule. */
export type OptimizerName = keyof typeof updateRules

/** The names of all update rules. */
export const optimizerNames = Object.keys(updateRules) as readonly OptimizerName[]

/** The settings of AdamW and RAdam. */
export interface OptimizerSettings {
  beta1: number
  beta2: number
  epsilon: number
  /** Weight decay; biases and layer normalization are not decayed. */
  weightDecay: number
}

/** The moving averages of a weight. */
export interface Moments {
  first: Float32Array
  second: Float32Array
}

/** AdamW or RAdam over all trained weights, which it changes in place. */
export class Optimizer {
  /** The moving averages by the name of the weight; part of a checkpoint. */
  readonly moments: ReadonlyMap<string, Moments>
  /** Rows of the table that ever had a gradient: other rows have no moments, and only decay. */
  #moving: Uint8Array | undefined

  constructor(
    readonly weights: ReadonlyMap<string, Float32Array>,
    readonly rule: UpdateRule,
    readonly settings: OptimizerSettings,
  ) {
    const empty = (length: number) => ({
      first: new Float32Array(length),
      second: new Float32Array(length),
    })
    this.moments = new Map([...weights].map(([name, { length }]) => [name, empty(length)]))
  }

  /** Updates the weights; `factor` scales all gradients. */
  update(gradients: Gradients, factor: number, learningRate: number, step: number): void {
    const { beta1, beta2, epsilon, weightDecay } = this.settings
    const update = this.rule({ learningRate, step, beta1, beta2, epsilon })
    for (const [name, weight] of this.weights) {
      const decay = decays(name) ? 1 - learningRate * weightDecay : 1
      const part = { weight, gradient: gradients.of(name), ...this.moments.get(name)! }
      if (gradients.table?.name !== name) this.#move(part, 0, weight.length, update, decay, factor)
      else this.#moveTable(part, gradients, update, decay, factor)
    }
  }

  #moveTable(part: Part, gradients: Gradients, update: Update, decay: number, factor: number) {
    const { width } = gradients.table!
    const { weight } = part
    this.#moving ??= movingRows(part, width)
    for (const row of gradients.rows) this.#moving[row] = 1
    for (let row = 0; row < this.#moving.length; row++) {
      const [from, to] = [row * width, (row + 1) * width]
      if (this.#moving[row]) this.#move(part, from, to, update, decay, factor)
      else if (decay !== 1) for (let i = from; i < to; i++) weight[i]! *= decay
    }
  }

  #move(part: Part, from: number, to: number, update: Update, decay: number, factor: number) {
    const { weight, gradient, first, second } = part
    const { beta1, beta2 } = this.settings
    const { size, root, epsilon } = update
    const [share1, share2] = [(1 - beta1) * factor, (1 - beta2) * factor * factor]
    for (let i = from; i < to; i++) {
      const g = gradient[i]!
      const m = beta1 * first[i]! + share1 * g
      const v = beta2 * second[i]! + share2 * g * g
      first[i] = m
      second[i] = v
      weight[i] = weight[i]! * decay - (size * m) / (root * Math.sqrt(v) + epsilon)
    }
  }
}

interface Part extends Moments {
  weight: Float32Array
  gradient: Float32Array
}

/**
 * Returns whether a weight is decayed: not biases, layer normalization, or the score's inverse
 * temperature.
 */
export function decays(name: string): boolean {
  return !/\.bias$|norm|^emb_ln\.|^score\./i.test(name)
}

/** Finds the table rows with moments after resuming; all other rows only decay. */
function movingRows({ first, second }: Moments, width: number): Uint8Array {
  const rows = new Uint8Array(first.length / width)
  for (let i = 0; i < first.length; i++) {
    if (first[i] !== 0 || second[i] !== 0) rows[Math.floor(i / width)] = 1
  }
  return rows
}

/** Returns the factor that clips gradients of norm `norm` to `longest`; 0 disables clipping. */
export function clipFactor(norm: number, longest: number): number {
  return longest > 0 && norm > longest ? longest / norm : 1
}
