import { type PartialLabelSettings, resolveLabelSettings } from '@kith/core'
import {
  defaultsOf,
  is,
  type Need,
  only,
  type Range,
  range,
  resolve,
  rulesOf,
  type SettingTable,
} from '@kith/core/internal'
import { type Loss, type LossSettings, lossNames } from './losses.ts'
import { type OptimizerName, optimizerNames } from './optimizer/optimizer.ts'

/** The settings of a training; every setting except `steps` has a default. */
export interface TrainSettings extends LossSettings {
  /** Number of optimizer steps. */
  steps: number
  /** Queries per batch, and batches whose gradients are summed for one step. */
  batchSize: number
  gradientAccumulation: number
  /** Number of candidates per query. */
  listSize: number
  /** Number of top candidates that are not used as negatives: many of them are relevant. */
  skip: number
  /**
   * Maximum score of a negative, as a fraction of the best relevant document's score; null: no
   * limit.
   */
  negativesBelow: number | null
  loss: Loss
  /** T: the factor of inner products. `learnTemperature`: whether T and a bias are trained. */
  inverseTemperature: number
  learnTemperature: boolean
  /**
   * Settings of evidence-based targets, computed for each batch; null: the queries' own labels, or
   * one-hot.
   */
  target: PartialLabelSettings | null
  optimizer: OptimizerName
  beta1: number
  beta2: number
  epsilon: number
  weightDecay: number
  /** Maximum gradient norm; 0: no gradient clipping. */
  maxGradNorm: number
  /** The peak learning rate. */
  learningRate: number
  /** Number of linear warmup steps to the peak. */
  warmup: number
  /**
   * The schedule after warmup: linear decay to finalRatio · learningRate at the last step,
   * reduction when validation stalls (`plateau`), or a constant rate.
   */
  schedule: 'linear' | 'plateau' | 'constant'
  finalRatio: number
  /**
   * `plateau`: validations without a lower loss before the rate is reduced, and the factor of the
   * reduction.
   */
  patience: number
  factor: number
  dropout: number
  /** Number of steps between validations. */
  validateEvery: number
  /** The criterion of the best checkpoint: `loss` or a measure such as `nDCG@10`. */
  selectBy: string
  /** Number of validations without improvement before early stopping; 0: never. */
  earlyStoppingPatience: number
  /** Number of steps between searches for new candidates with the current encoder; 0: never. */
  refreshEvery: number
  seed: number
}

/** Settings that differ from their defaults. */
export type PartialTrainSettings = {
  [Name in keyof TrainSettings]?: TrainSettings[Name] | undefined
}

const count = (from: number): Range => ({ from, integer: true })
const positive: Range = { from: 0, above: true }
const notNegative: Range = { from: 0 }
const checkPart = range({ from: 0, to: 1, above: true })

/** Requires validation queries; their number is unknown until the queries are read. */
const heldOut: Need = {
  text: 'enough held-out queries',
  holds: ({ validation }) => validation !== 0,
}
const plateau = [is('schedule', 'plateau')]

/** The settings of a training, each with help text, default and range. */
export const trainTable: SettingTable<TrainSettings> = {
  steps: {
    help: 'number of optimizer steps, instead of epochs',
    default: undefined as never,
    range: count(1),
  },
  batchSize: { help: 'queries per batch', default: 32, range: count(1) },
  gradientAccumulation: { help: 'batches per step', default: 1, range: count(1) },
  listSize: { help: 'candidates per query', default: 1000, range: count(2) },
  skip: {
    help: 'number of top candidates that are not used as negatives',
    default: 0,
    range: count(0),
  },
  negativesBelow: {
    help: 'maximum score of a negative, as a fraction of the best relevant document’s score',
    default: null,
    check: (name, value) => void (value === null || checkPart(name, value)),
  },
  loss: { help: 'training loss', default: 'kl', values: lossNames },
  margin: {
    help: 'margin of max-margin',
    default: 1,
    range: notNegative,
    needs: [is('loss', 'max-margin')],
  },
  inverseTemperature: {
    help: 'factor of scores before the softmax',
    default: 1,
    symbol: 'T',
    range: positive,
    tune: { from: 0.2, to: 5, log: true },
  },
  learnTemperature: {
    help: 'train the inverse temperature and a bias',
    default: false,
    values: [true, false],
  },
  target: {
    help: 'label settings of evidence-based targets',
    default: null,
    check: (_, value) => void (value === null || resolveLabelSettings(value as object)),
  },
  optimizer: { help: 'optimizer', default: 'adamw', values: optimizerNames },
  beta1: { help: 'decay of the first moment', default: 0.9, range: { from: 0, below: 1 } },
  beta2: { help: 'decay of the second moment', default: 0.999, range: { from: 0, below: 1 } },
  epsilon: {
    help: 'epsilon of the optimizer',
    default: 1e-8,
    range: { from: 0, below: 1, above: true },
  },
  weightDecay: { help: 'weight decay (not applied to biases)', default: 0.01, range: notNegative },
  maxGradNorm: { help: 'clip gradients to this norm (0: never)', default: 1, range: notNegative },
  learningRate: {
    help: 'peak learning rate',
    default: 2e-5,
    range: notNegative,
    tune: { from: 0.1, to: 10, log: true },
  },
  warmup: { help: 'warmup steps', default: 0, range: count(0) },
  schedule: {
    help: 'learning rate schedule',
    default: 'linear',
    values: ['linear', 'plateau', 'constant'],
    needs: [only("with 'plateau'", ({ schedule }) => schedule === 'plateau', heldOut)],
  },
  finalRatio: {
    help: 'final learning rate, as a fraction of the peak (linear)',
    default: 0,
    range: { from: 0, to: 1 },
    needs: [is('schedule', 'linear')],
  },
  patience: {
    help: 'validations without improvement before the learning rate falls (plateau)',
    default: 3,
    range: count(1),
    needs: plateau,
  },
  factor: {
    help: 'factor by which the learning rate falls (plateau)',
    default: 0.5,
    range: { from: 0, to: 1, above: true },
    needs: plateau,
  },
  dropout: {
    help: 'dropout probability',
    default: 0.1,
    range: { from: 0, below: 1 },
    needs: [{ text: 'an encoder', holds: ({ model }) => model !== 'adapter' }],
  },
  validateEvery: { help: 'steps between validations', default: 100, range: count(1) },
  selectBy: {
    help: 'criterion of the best checkpoint: loss or a measure',
    default: 'nDCG@10',
    // `criterion` checks the value: a measure can be spelled in several ways.
    check: () => {},
    needs: [heldOut],
  },
  earlyStoppingPatience: {
    help: 'early stopping: validations without improvement before training ends (0: never)',
    default: 0,
    range: count(0),
    needs: [heldOut],
  },
  refreshEvery: {
    help: 'steps between searches for new candidates (0: never)',
    default: 0,
    range: count(0),
  },
  seed: { help: 'random seed of order, dropout and adapter', default: 0, range: count(0) },
}

const rules = rulesOf(trainTable)

/** The default of each setting. */
export const trainDefaults: Readonly<Omit<TrainSettings, 'steps'>> =
  defaultsOf<TrainSettings>(trainTable)

/**
 * The paper's training settings besides its labels, by the names of the label presets
 * (docs/method.md section 6).
 */
export const trainPresets = {
  'paper-tas-b': { learningRate: 1.73e-6, warmup: 9000, inverseTemperature: 1 },
  'paper-cocondenser': { learningRate: 1.37e-6, warmup: 12_000, inverseTemperature: 1 },
} satisfies Record<string, PartialTrainSettings>

/** Completes settings with the defaults, and checks the range of each setting. */
export function resolveTrainSettings(given: PartialTrainSettings): TrainSettings {
  const settings = resolve<Omit<TrainSettings, 'steps'>>(
    given,
    trainDefaults,
    rules,
  ) as TrainSettings
  // `steps` has no default, so it is checked separately.
  rules['steps']!('steps', settings.steps)
  return settings
}
