import { jobDefaults } from '@kith/pipelines/job'
import {
  lossNames,
  optimizerNames,
  type TrainingSettings,
  trainDefaults,
} from '@kith/pipelines/train'
import type { Options, Values } from './command.ts'
import { defaultText } from './default-text.ts'
import { DISTIL, readTargetName } from './distil-options.ts'
import { type labelSettingOptions, readLabelSettings } from './setting-options.ts'
import { UsageError } from './usage-error.ts'
import { isSet, optionalChoice, optionalNumber, optionalText, optionalWhole } from './values.ts'

/** How a training goes. */
export const trainOptions = {
  epochs: {
    value: 'N',
    help: 'times that each query is seen',
    default: defaultText(jobDefaults.epochs),
  },
  steps: { value: 'N', help: 'steps of the optimizer, instead of epochs' },
  'batch-size': {
    value: 'N',
    help: 'queries per batch',
    default: defaultText(trainDefaults.batchSize),
  },
  'gradient-accumulation': {
    value: 'N',
    help: 'batches per step',
    default: defaultText(trainDefaults.gradientAccumulation),
  },
  'list-size': {
    value: 'N',
    help: 'candidates per query',
    default: defaultText(trainDefaults.listSize),
  },
  skip: {
    value: 'N',
    help: 'first candidates that are no negatives: many are relevant, though not labeled',
    default: defaultText(trainDefaults.skip),
  },
  'negatives-below': {
    value: 'R',
    help: 'negatives score at most this part of the best relevant document’s score, such as 0.95',
  },
  loss: {
    value: 'NAME',
    help: lossNames.join(', '),
    default: defaultText(trainDefaults.loss),
  },
  margin: { value: 'M', help: 'of max-margin', default: defaultText(trainDefaults.margin) },
  'inverse-temperature': {
    value: 'T',
    help: 'what scores are multiplied by',
    default: defaultText(trainDefaults.inverseTemperature),
  },
  'learn-temperature': { help: 'let it, and a bias, learn' },
  optimizer: {
    value: 'NAME',
    help: optimizerNames.join(' or '),
    default: defaultText(trainDefaults.optimizer),
  },
  'learning-rate': {
    value: 'R',
    help: 'peak learning rate',
    default: defaultText(trainDefaults.learningRate),
  },
  warmup: { value: 'N', help: 'steps up to it', default: defaultText(trainDefaults.warmup) },
  schedule: {
    value: 'NAME',
    help: 'linear, plateau, constant',
    default: defaultText(trainDefaults.schedule),
  },
  'final-ratio': {
    value: 'R',
    help: 'of the last learning rate to the peak (linear)',
    default: defaultText(trainDefaults.finalRatio),
  },
  patience: {
    value: 'N',
    help: 'validations before the learning rate falls (plateau)',
    default: defaultText(trainDefaults.patience),
  },
  factor: {
    value: 'F',
    help: 'by which it falls (plateau)',
    default: defaultText(trainDefaults.factor),
  },
  'weight-decay': {
    value: 'D',
    help: 'of weights, not of biases',
    default: defaultText(trainDefaults.weightDecay),
  },
  'max-grad-norm': {
    value: 'L',
    help: 'clip gradients to this norm',
    default: defaultText(trainDefaults.maxGradNorm),
  },
  dropout: {
    value: 'P',
    help: 'part of the activations that is dropped',
    default: defaultText(trainDefaults.dropout),
  },
  'validate-every': { value: 'N', help: 'steps between validations', default: 'once per epoch' },
  'select-by': {
    value: 'NAME',
    help: 'what the best checkpoint is best in: loss, nDCG@10, …',
    default: defaultText(trainDefaults.selectBy),
  },
  'early-stopping-patience': {
    value: 'N',
    help: 'end after so many validations without a better one',
  },
  'refresh-candidates': { value: 'N', help: 'search again with the current encoder every N steps' },
  seed: {
    value: 'N',
    help: 'of order, dropout and adapter',
    default: defaultText(trainDefaults.seed),
  },
} satisfies Options

/** The settings that the options name. */
export function readTrainSettings(
  values: Values<typeof trainOptions & typeof labelSettingOptions>,
): TrainingSettings {
  const steps = optionalWhole(values, 'steps')
  const epochs = optionalWhole(values, 'epochs')
  if (steps !== undefined && epochs !== undefined) {
    throw new UsageError('--steps and --epochs say the same: give one of them')
  }
  return {
    steps,
    epochs,
    batchSize: optionalWhole(values, 'batch-size'),
    gradientAccumulation: optionalWhole(values, 'gradient-accumulation'),
    listSize: optionalWhole(values, 'list-size', { from: 2 }),
    skip: optionalWhole(values, 'skip', { from: 0 }),
    negativesBelow: optionalNumber(values, 'negatives-below'),
    loss: optionalChoice(values, 'loss', lossNames),
    margin: optionalNumber(values, 'margin'),
    inverseTemperature: optionalNumber(values, 'inverse-temperature'),
    learnTemperature: isSet(values, 'learn-temperature') ? true : undefined,
    target: readTarget(values),
    optimizer: optionalChoice(values, 'optimizer', optimizerNames),
    learningRate: optionalNumber(values, 'learning-rate'),
    warmup: optionalWhole(values, 'warmup', { from: 0 }),
    schedule: optionalChoice(values, 'schedule', ['linear', 'plateau', 'constant']),
    finalRatio: optionalNumber(values, 'final-ratio'),
    patience: optionalWhole(values, 'patience'),
    factor: optionalNumber(values, 'factor'),
    weightDecay: optionalNumber(values, 'weight-decay'),
    maxGradNorm: optionalNumber(values, 'max-grad-norm'),
    dropout: optionalNumber(values, 'dropout'),
    validateEvery: optionalWhole(values, 'validate-every'),
    selectBy: optionalText(values, 'select-by'),
    earlyStoppingPatience: optionalWhole(values, 'early-stopping-patience', { from: 0 }),
    refreshEvery: optionalWhole(values, 'refresh-candidates', { from: 0 }),
    seed: optionalWhole(values, 'seed', { from: 0 }),
  }
}

/** The settings of evidence-based targets; undefined for judgments, labels and a teacher. */
function readTarget(
  values: Values<typeof labelSettingOptions>,
): ReturnType<typeof readLabelSettings> | undefined {
  const target = readTargetName(values)
  return target === undefined || target === DISTIL ? undefined : readLabelSettings(values)
}
