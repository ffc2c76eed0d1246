import {
  type MethodSettings,
  methodRules,
  type PartialMethodSettings,
  resolveMethodSettings,
  standard,
} from '../baselines/method-settings.ts'
import {
  defaultLabelSettings,
  type LabelSettings,
  labelRules,
  type PartialLabelSettings,
  resolveLabelSettings,
} from '../labels/label-settings.ts'
import { resolve } from './setting-rules.ts'

/** The settings of everything that a `Reranker` does: those of its rankings, and those of its labels. */
export interface RerankerSettings {
  ranking: MethodSettings
  labels: LabelSettings
}

/** Settings of a `Reranker` that differ from the default; `undefined` leaves the default. */
export type PartialRerankerSettings = Omit<PartialLabelSettings, 'mix'> & PartialMethodSettings

/**
 * Completes the settings of a `Reranker`, and checks each one's range. Rankings and labels have
 * their own defaults; a setting that is given counts for both, except those of the second
 * generation, which labels do not have.
 */
export function resolveRerankerSettings(settings: PartialRerankerSettings = {}): RerankerSettings {
  const given = resolve(settings, {}, { ...labelRules, ...methodRules }) as PartialRerankerSettings
  const { mix, ...others } = given
  const labelMix = mix === 'words' ? undefined : mix
  return {
    ranking: resolveMethodSettings(pick(others, methodRules, { mix }), standard),
    labels: resolveLabelSettings(pick(others, labelRules, { mix: labelMix }), defaultLabelSettings),
  }
}

function pick<T extends object>(settings: object, known: object, more: T): T {
  const own = Object.entries(settings).filter(([name]) => Object.hasOwn(known, name))
  return { ...Object.fromEntries(own), ...more }
}
