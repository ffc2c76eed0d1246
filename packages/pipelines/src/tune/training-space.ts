import { labelTable } from '@kith/core/internal'
import type { PartialTrainSettings } from '@kith/train'
import { trainDefaults, trainTable } from '@kith/train/internal'
import type { Parameters, Space } from '@kith/tune'

/**
 * The space that `kith tune --train` searches: learning rate, inverse temperature, and the kind and
 * the settings of targets. Evidence-based targets have settings of their own, so they are a branch of the space.
 */
export const trainingSpace: Space = {
  learningRate: { kind: 'float', ...trainTable.learningRate.tune! },
  inverseTemperature: { kind: 'float', ...trainTable.inverseTemperature.tune! },
  evidence: { kind: 'choice', values: [false, true] },
  target: {
    kind: 'choice',
    values: ['mixed', 'geometric', 'rnn'],
    when: { dimension: 'evidence', is: true },
  },
  labelDepth: {
    kind: 'integer',
    ...labelTable.labelDepth.tune!,
    when: { dimension: 'evidence', is: true },
  },
  boost: { kind: 'float', ...labelTable.boost.tune!, when: { dimension: 'evidence', is: true } },
  normalize: {
    kind: 'choice',
    values: ['maxmin', 'std'],
    when: { dimension: 'evidence', is: true },
  },
}

/** Where the search starts: the options as they are, trained on the judgments alone. */
export const trainingStart: Parameters = { learningRate: 1, inverseTemperature: 1, evidence: false }

/** The settings of a trial. Learning rate and inverse temperature are factors of the options' values. */
export function trialSettings(
  { learningRate, inverseTemperature, evidence, target, labelDepth, boost, normalize }: Parameters,
  base: PartialTrainSettings,
): PartialTrainSettings {
  return {
    ...base,
    learningRate: (base.learningRate ?? trainDefaults.learningRate) * (learningRate as number),
    inverseTemperature:
      (base.inverseTemperature ?? trainDefaults.inverseTemperature) *
      (inverseTemperature as number),
    target: evidence
      ? ({
          ...base.target,
          target,
          labelDepth,
          boost,
          normalize,
        } as PartialTrainSettings['target'])
      : { ...base.target, target: 'one-hot' },
  }
}
