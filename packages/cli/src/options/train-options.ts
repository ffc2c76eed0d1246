import type { TrainingSettings } from '@kith/pipelines'
import type { Options, Values } from './command.ts'
import { type labelSettingOptions, readLabelSettings } from './setting-options.ts'
import { UsageError } from './usage-error.ts'
import { isSet, optionalChoice, optionalNumber, optionalText, optionalWhole } from './values.ts'

/** How a training goes. */
export const trainOptions = {
  epochs: { value: 'N', help: 'times that each query is seen', default: '10' },
  steps: { value: 'N', help: 'steps of the optimiser, instead of epochs' },
  'batch-size': { value: 'N', help: 'queries per batch', default: '32' },
  'gradient-accumulation': { value: 'N', help: 'batches per step', default: '1' },
  'list-size': { value: 'N', help: 'candidates per query', default: '1000' },
  loss: { value: 'NAME', help: 'kl, infonce, max-margin', default: 'kl' },
  margin: { value: 'M', help: 'of max-margin', default: '1' },
  'inverse-temperature': { value: 'T', help: 'what scores are multiplied by', default: '1' },
  'learn-temperature': { help: 'let it, and a bias, learn' },
  optimiser: { value: 'NAME', help: 'adamw or radam', default: 'adamw' },
  'learning-rate': { value: 'R', help: 'peak learning rate', default: '2e-5' },
  warmup: { value: 'N', help: 'steps up to it', default: '0' },
  schedule: { value: 'NAME', help: 'linear, plateau, constant', default: 'linear' },
  'final-ratio': {
    value: 'R',
    help: 'of the last learning rate to the peak (linear)',
    default: '0',
  },
  patience: {
    value: 'N',
    help: 'validations before the learning rate falls (plateau)',
    default: '3',
  },
  factor: { value: 'F', help: 'by which it falls (plateau)', default: '0.5' },
  'weight-decay': { value: 'D', help: 'of weights, not of biases', default: '0.01' },
  'max-grad-norm': { value: 'L', help: 'longest gradient', default: '1' },
  dropout: { value: 'P', help: 'part of the activations that is dropped', default: '0.1' },
  'validate-every': { value: 'N', help: 'steps between validations', default: 'once per epoch' },
  'select-by': {
    value: 'NAME',
    help: 'what the best checkpoint is best in: loss, nDCG@10, …',
    default: 'loss',
  },
  'early-stopping-patience': {
    value: 'N',
    help: 'end after so many validations without a better one',
  },
  'refresh-candidates': { value: 'N', help: 'search again with the current encoder every N steps' },
  seed: { value: 'N', help: 'of order, dropout and adapter', default: '0' },
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
    loss: optionalChoice(values, 'loss', ['kl', 'infonce', 'max-margin']),
    margin: optionalNumber(values, 'margin'),
    inverseTemperature: optionalNumber(values, 'inverse-temperature'),
    learnTemperature: isSet(values, 'learn-temperature') ? true : undefined,
    target: optionalText(values, 'target') === undefined ? undefined : readLabelSettings(values),
    optimiser: optionalChoice(values, 'optimiser', ['adamw', 'radam']),
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
