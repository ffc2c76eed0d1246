import { type PartialLabelSettings, resolveLabelSettings } from '@kith/core'
import { choice, type Rule, type Rules, range, resolve } from '@kith/core/internal'
import { type Loss, type LossSettings, lossNames } from './losses.ts'
import { type OptimizerName, optimizerNames } from './optimizer/optimizer.ts'

/** The settings of a training; each has a default but the number of steps. */
export interface TrainSettings extends LossSettings {
  /** Steps of the optimizer. */
  steps: number
  /** Queries per batch, and batches whose gradients are added up for a step. */
  batchSize: number
  gradientAccumulation: number
  /** Candidates per query. */
  listSize: number
  /** How many of the first retrieved documents are no negatives: many of them are relevant. */
  skip: number
  /** Negatives score at most this part of the best relevant document's score; null: no limit. */
  negativesBelow: number | null
  loss: Loss
  /** T: the factor of inner products; `learnTemperature`: whether T and a bias learn. */
  inverseTemperature: number
  learnTemperature: boolean
  /** Evidence-based targets, made for each batch; without it, the queries' own labels, or one-hot. */
  target: PartialLabelSettings | null
  optimizer: OptimizerName
  beta1: number
  beta2: number
  epsilon: number
  weightDecay: number
  /** Gradients are clipped at this length; 0: never. */
  maxGradNorm: number
  /** The peak learning rate. */
  learningRate: number
  /** Steps of linear warm-up to the peak. */
  warmup: number
  /** After it: linearly down to finalRatio · learningRate at the last step, or down when validation stalls. */
  schedule: 'linear' | 'plateau' | 'constant'
  finalRatio: number
  /** `plateau`: validations without a better loss before the rate falls, and its factor then. */
  patience: number
  factor: number
  dropout: number
  /** Steps between validations. */
  validateEvery: number
  /** The criterion of the best checkpoint: `loss` or a measure such as `nDCG@10`. */
  selectBy: string
  /** Ends the training after so many validations without a better one; 0: never. */
  earlyStoppingPatience: number
  /** Steps between searches for new candidates with the encoder as it is; 0: never. */
  refreshEvery: number
  seed: number
}

/** Settings that differ from the default. */
export type PartialTrainSettings = {
  [Name in keyof TrainSettings]?: TrainSettings[Name] | undefined
}

/** What each setting is where nothing else is said. */
export const trainDefaults: Readonly<Omit<TrainSettings, 'steps'>> = {
  batchSize: 32,
  gradientAccumulation: 1,
  listSize: 1000,
  skip: 0,
  negativesBelow: null,
  loss: 'kl',
  margin: 1,
  inverseTemperature: 1,
  learnTemperature: false,
  target: null,
  optimizer: 'adamw',
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0.01,
  maxGradNorm: 1,
  learningRate: 2e-5,
  warmup: 0,
  schedule: 'linear',
  finalRatio: 0,
  patience: 3,
  factor: 0.5,
  dropout: 0.1,
  validateEvery: 100,
  selectBy: 'nDCG@10',
  earlyStoppingPatience: 0,
  refreshEvery: 0,
  seed: 0,
}

const count = (from: number) => range({ from, integer: true })
const positive = range({ from: 0, above: true })
const notNegative = range({ from: 0 })
const part = range({ from: 0, to: 1, above: true })

/** The allowed values of each setting. */
const rules: Rules & Record<keyof TrainSettings, Rule> = {
  steps: count(1),
  batchSize: count(1),
  gradientAccumulation: count(1),
  listSize: count(2),
  skip: count(0),
  negativesBelow: (name, value) => void (value === null || part(name, value)),
  loss: choice(...lossNames),
  margin: notNegative,
  inverseTemperature: positive,
  learnTemperature: choice(true, false),
  target: (_, value) => void (value === null || resolveLabelSettings(value as object)),
  optimizer: choice(...optimizerNames),
  beta1: range({ from: 0, below: 1 }),
  beta2: range({ from: 0, below: 1 }),
  epsilon: range({ from: 0, below: 1, above: true }),
  weightDecay: notNegative,
  maxGradNorm: notNegative,
  learningRate: notNegative,
  warmup: count(0),
  schedule: choice('linear', 'plateau', 'constant'),
  finalRatio: range({ from: 0, to: 1 }),
  patience: count(1),
  factor: range({ from: 0, to: 1, above: true }),
  dropout: range({ from: 0, below: 1 }),
  validateEvery: count(1),
  // Checked where it is read: a measure can be spelled in many ways.
  selectBy: () => {},
  earlyStoppingPatience: count(0),
  refreshEvery: count(0),
  seed: count(0),
}

/** Completes settings with the defaults, and checks each one's range. */
export function resolveTrainSettings(given: PartialTrainSettings): TrainSettings {
  const settings = resolve<Omit<TrainSettings, 'steps'>>(
    given,
    trainDefaults,
    rules,
  ) as TrainSettings
  // It has no default.
  rules.steps('steps', settings.steps)
  return settings
}
