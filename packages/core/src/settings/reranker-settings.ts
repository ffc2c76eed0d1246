import {
  type MethodSettings,
  methodRules,
  type PartialMethodSettings,
  standard,
} from '../baselines/method-settings.ts'
import { labelPresets } from '../labels/label-presets.ts'
import {
  type LabelSettings,
  labelRules,
  type PartialLabelSettings,
} from '../labels/label-settings.ts'
import { resolve } from './setting-rules.ts'

/** The settings of everything that a `Reranker` does. */
export interface RerankerSettings extends LabelSettings, MethodSettings {}

/** Settings of a `Reranker` that differ from the default; `undefined` leaves the default. */
export type PartialRerankerSettings = PartialLabelSettings & PartialMethodSettings

const defaults: RerankerSettings = { ...standard, ...labelPresets.balanced }
const rules = { ...methodRules, ...labelRules }

/** Completes the settings of a `Reranker` with the library's, and checks each one's range. */
export function resolveRerankerSettings(settings: PartialRerankerSettings = {}): RerankerSettings {
  return resolve(settings, defaults, rules)
}
