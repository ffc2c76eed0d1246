import type { PartialTrainSettings } from '@kith/train'
import type { Parameters, Space } from '@kith/tune'

/**
 * The space that `kith tune-training` searches: learning rate, inverse temperature, and the kind and
 * the settings of targets. Evidence-based targets have settings of their own, so they are a branch of the space.
 */
export const trainingSpace: Space = {
  learningRate: { kind: 'float', from: 0.1, to: 10, log: true },
  inverseTemperature: { kind: 'float', from: 0.2, to: 5, log: true },
  evidence: { kind: 'choice', values: [false, true] },
  target: {
    kind: 'choice',
    values: ['mixed', 'geometric', 'rnn'],
    when: { dimension: 'evidence', is: true },
  },
  labelDepth: {
    kind: 'integer',
    from: 2,
    to: 32,
    log: true,
    when: { dimension: 'evidence', is: true },
  },
  boost: { kind: 'float', from: 1, to: 6, log: true, when: { dimension: 'evidence', is: true } },
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
    learningRate: (base.learningRate ?? 2e-5) * (learningRate as number),
    inverseTemperature: (base.inverseTemperature ?? 1) * (inverseTemperature as number),
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
