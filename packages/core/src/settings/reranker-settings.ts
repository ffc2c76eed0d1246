import {
  type MethodSettings,
  methodRows,
  methodRules,
  type PartialMethodSettings,
  resolveMethodSettings,
  standard,
} from '../baselines/method-settings.ts'
import {
  defaultLabelSettings,
  type LabelSettings,
  labelRows,
  labelRules,
  type PartialLabelSettings,
  resolveLabelSettings,
} from '../labels/label-settings.ts'
import { refuseUseless } from './idle.ts'
import { settingRows } from './setting-rows.ts'
import { resolve } from './setting-rules.ts'

/** The settings of everything that a `Reranker` does: of rankings and of labels. */
export interface RerankerSettings {
  ranking: MethodSettings
  labels: LabelSettings
}

/** Settings of a `Reranker` that differ from the default; `undefined` leaves the default. */
export type PartialRerankerSettings = Omit<PartialLabelSettings, 'mix'> & PartialMethodSettings

/**
 * Completes the settings of a `Reranker`, and checks each one's range. Refuses a setting that has no
 * effect in any call, with texts or without, since another setting switches it off. Rankings and labels have
 * separate defaults; a given setting applies to both, except settings of the second
 * generation, which labels do not have.
 */
export function resolveRerankerSettings(settings: PartialRerankerSettings = {}): RerankerSettings {
  const given = resolve(settings, {}, { ...labelRules, ...methodRules }) as PartialRerankerSettings
  const { mix, ...others } = given
  const labelMix = mix === 'words' ? undefined : mix
  const ranking = resolveMethodSettings(pick(others, methodRules, { mix }), standard)
  const labels = resolveLabelSettings(
    pick(others, labelRules, { mix: labelMix }),
    defaultLabelSettings,
  )
  const plain = { ...ranking, method: undefined }
  const uses = [true, false].flatMap((texts) => [
    [methodRows, ranking, { texts }] as const,
    [labelRows, labels, { texts, job: 'labels' }] as const,
    [settingRows, plain, { texts, job: 'similarity' }] as const,
  ])
  refuseUseless(given, uses)
  return { ranking, labels }
}

function pick<T extends object>(settings: object, known: object, more: T): T {
  const own = Object.entries(settings).filter(([name]) => Object.hasOwn(known, name))
  return { ...Object.fromEntries(own), ...more }
}
