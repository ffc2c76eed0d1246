import { KithError, type PartialLabelSettings } from '@kith/core'
import type { Loss } from './losses.ts'

/** The settings of a training; each has a default but the number of steps. */
export interface TrainSettings {
  /** Steps of the optimiser. */
  steps: number
  /** Queries per batch, and batches whose gradients are added up for a step. */
  batchSize: number
  gradientAccumulation: number
  /** Candidates per query. */
  listSize: number
  loss: Loss
  /** Of max-margin. */
  margin: number
  /** T: what inner products are multiplied by, and whether it and a bias learn. */
  inverseTemperature: number
  learnTemperature: boolean
  /** Evidence-based targets, made for each batch; without it, the queries' own labels, or one-hot. */
  target: PartialLabelSettings | null
  optimiser: 'adamw' | 'radam'
  beta1: number
  beta2: number
  epsilon: number
  weightDecay: number
  /** Gradients are clipped at this length; 0: never. */
  maxGradNorm: number
  /** The peak learning rate. */
  learningRate: number
  /** Steps of warm-up. */
  warmup: number
  schedule: 'linear' | 'plateau' | 'constant'
  finalRatio: number
  /** `plateau`: validations without a better loss before the rate falls, and its factor then. */
  patience: number
  factor: number
  dropout: number
  /** Steps between validations. */
  validateEvery: number
  /** What decides which checkpoint is best: `loss` or a measure such as `nDCG@10`. */
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

const defaults: Omit<TrainSettings, 'steps'> = {
  batchSize: 32,
  gradientAccumulation: 1,
  listSize: 1000,
  loss: 'kl',
  margin: 1,
  inverseTemperature: 1,
  learnTemperature: false,
  target: null,
  optimiser: 'adamw',
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
  selectBy: 'loss',
  earlyStoppingPatience: 0,
  refreshEvery: 0,
  seed: 0,
}

type Check = (value: never) => boolean
const whole = (from: number) => (value: number) => Number.isSafeInteger(value) && value >= from
const between = (from: number, below: number) => (value: number) => value >= from && value < below
const oneOf =
  (...values: unknown[]) =>
  (value: unknown) =>
    values.includes(value)

/** What each setting may be, and how a message says it. */
const rules: Partial<Record<keyof TrainSettings, [Check, string]>> = {
  steps: [whole(1), 'whole numbers from 1 on'],
  batchSize: [whole(1), 'whole numbers from 1 on'],
  gradientAccumulation: [whole(1), 'whole numbers from 1 on'],
  listSize: [whole(2), 'whole numbers from 2 on'],
  loss: [oneOf('kl', 'infonce', 'max-margin'), 'kl, infonce, max-margin'],
  margin: [between(0, Infinity), 'numbers from 0 on'],
  inverseTemperature: [(value: number) => value > 0 && value < Infinity, 'numbers above 0'],
  learnTemperature: [oneOf(true, false), 'true, false'],
  optimiser: [oneOf('adamw', 'radam'), 'adamw, radam'],
  beta1: [between(0, 1), 'from 0 to below 1'],
  beta2: [between(0, 1), 'from 0 to below 1'],
  epsilon: [(value: number) => value > 0 && value < 1, 'above 0, below 1'],
  weightDecay: [between(0, Infinity), 'numbers from 0 on'],
  maxGradNorm: [between(0, Infinity), 'numbers from 0 on'],
  learningRate: [between(0, Infinity), 'numbers from 0 on'],
  warmup: [whole(0), 'whole numbers from 0 on'],
  schedule: [oneOf('linear', 'plateau', 'constant'), 'linear, plateau, constant'],
  finalRatio: [(value: number) => value >= 0 && value <= 1, 'from 0 to 1'],
  patience: [whole(1), 'whole numbers from 1 on'],
  factor: [(value: number) => value > 0 && value <= 1, 'above 0, up to 1'],
  dropout: [between(0, 1), 'from 0 to below 1'],
  validateEvery: [whole(1), 'whole numbers from 1 on'],
  earlyStoppingPatience: [whole(0), 'whole numbers from 0 on'],
  refreshEvery: [whole(0), 'whole numbers from 0 on'],
  seed: [whole(0), 'whole numbers from 0 on'],
}

/** Completes settings with the defaults, and checks each one's range. */
export function resolveTrainSettings(given: PartialTrainSettings): TrainSettings {
  const known: PartialTrainSettings = { ...defaults, steps: undefined }
  for (const [name, value] of Object.entries(given)) {
    if (!(name in known)) {
      const allowed = Object.keys(known).join(', ')
      throw new KithError('BAD_SETTING', `there is no setting "${name}"; there are: ${allowed}`)
    }
    if (value !== undefined) Object.assign(known, { [name]: value })
  }
  const settings = known as TrainSettings
  for (const [name, [check, allowed]] of Object.entries(rules)) {
    const value = settings[name as keyof TrainSettings]
    if (check(value as never)) continue
    throw new KithError('BAD_SETTING', `${name} is ${JSON.stringify(value)}, allowed: ${allowed}`)
  }
  return settings
}
