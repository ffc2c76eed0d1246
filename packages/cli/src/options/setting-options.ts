import {
  type LabelSettings,
  labelPresets,
  type MethodSettings,
  presets,
  resolveLabelSettings,
  resolveMethodSettings,
  type Settings,
} from '@kith/core'
import {
  type AnyTable,
  auditPreset,
  labelTable,
  methodTable,
  refuseIdle,
} from '@kith/core/internal'
import type { StatisticsSource } from '@kith/pipelines/job'
import type { Tuned } from '@kith/tune'
import type { Options, Values } from './command.ts'
import { isTuned, readGiven, readSet, setOptionsOf } from './set-option.ts'
import type { textOptions } from './shared-options.ts'
import { optionalChoice, optionalText, UsageError } from './values.ts'

/** The preset that is used without --preset. */
const DEFAULT_PRESET = 'balanced'

/** Options for the method's settings: a preset, and changes to it. */
export const settingOptions = {
  preset: { value: 'NAME', help: 'preset that settings start from', default: DEFAULT_PRESET },
  ...setOptionsOf(methodTable),
} satisfies Options

type MethodValues = Values<typeof settingOptions>

/** The settings of a ranking: the output of `kith tune`, or the settings in the options. */
export interface RankingSettings {
  settings: MethodSettings
  tuned: Tuned | undefined
  /** The settings of the further table. */
  more: Record<string, unknown>
}

/**
 * Reads the settings that the options name, completes them with a preset, and checks them. Refuses
 * settings that have no effect; `texts` says whether there are texts.
 *
 * @param beside A table of further settings that --set and --settings accept.
 */
export async function readRanking(
  values: MethodValues,
  { texts, beside = {} }: { texts: boolean; beside?: AnyTable },
): Promise<RankingSettings> {
  const table = { ...methodTable, ...beside }
  const file = optionalText(values, 'settings')
  if (file !== undefined && (await isTuned(file))) {
    const { own, more } = apart(readSet(values, table), beside)
    const also = { preset: values.preset, set: Object.keys(own)[0] }
    const tuned = await readTunedFile(also, file)
    if (tuned.texts && !texts) {
      throw new UsageError(`${file} was tuned with texts; add --corpus and --query-text`)
    }
    return { settings: tuned.settings, tuned, more }
  }
  const { own: given, more } = apart(await readGiven(values, table), beside)
  const preset = presetOf<Settings>(values, presets)
  const settings = resolveMethodSettings(given, resolveMethodSettings(preset))
  refuseIdle(given, settings, { texts }, methodTable)
  return { settings, tuned: undefined, more }
}

/** Separates the settings of a table from all other settings. */
function apart(
  given: Record<string, unknown>,
  beside: AnyTable,
): Record<'own' | 'more', Record<string, unknown>> {
  const some = (inside: boolean) =>
    Object.fromEntries(
      Object.entries(given).filter(([name]) => Object.hasOwn(beside, name) === inside),
    )
  return { own: some(false), more: some(true) }
}

/** Returns whether the options name texts. */
export function namesTexts(values: Values<typeof textOptions>): boolean {
  return values.corpus !== undefined || values['query-text'] !== undefined
}

async function readTunedFile(
  values: Record<'preset' | 'set', unknown>,
  file: string,
): Promise<Tuned> {
  const also = (['preset', 'set'] as const).filter((name) => values[name] !== undefined)
  if (also.length > 0) {
    throw new UsageError(`${file} contains all settings; leave out --${also.join(', --')}`)
  }
  // Loaded on demand: few commands read the output of a tuning.
  const { readTuned } = await import('@kith/tune')
  return readTuned(file)
}

/** Options for the settings of labels. */
export const labelSettingOptions = {
  target: {
    value: 'KIND',
    help: `evidence for the labels: ${labelTable.target.values!.join(', ')}`,
    default: labelTable.target.default,
  },
  ...settingOptions,
  ...setOptionsOf(labelTable),
} satisfies Options

/** Label settings, and a description of how they differ from the preset. */
export interface LabelRecipe {
  settings: LabelSettings
  /** A description such as `preset balanced with boost=3`. */
  recipe: string
}

/**
 * Reads the label settings that the options name, completes them with a preset, and checks them.
 */
export async function readLabelSettings(
  values: Values<typeof labelSettingOptions>,
  { texts }: { texts: boolean },
): Promise<LabelRecipe> {
  const given = { ...targetOf(values), ...(await readGiven(values, labelTable)) }
  return recipeOf(values, given, { texts })
}

/**
 * Reads the audit settings that the options name, completes them with a preset, and checks them.
 */
export async function readAuditSettings(
  values: Values<typeof labelSettingOptions>,
  use: { texts: boolean },
): Promise<LabelSettings> {
  const { contextSize, target } = auditPreset
  const given = { ...targetOf(values), ...(await readGiven(values, labelTable)) }
  const preset = { ...presetOf<LabelSettings>(values, labelPresets), contextSize, target }
  const settings = resolveLabelSettings(given, preset)
  refuseIdle(given, settings, { ...use, job: 'audit' }, labelTable)
  return settings
}

/** Completes given label settings with the preset in the options. */
export function recipeOf(
  values: Values<Pick<typeof settingOptions, 'preset'>>,
  given: Record<string, unknown>,
  use: { texts: boolean },
): LabelRecipe {
  const preset = presetOf<LabelSettings>(values, labelPresets)
  const settings = resolveLabelSettings(given, preset)
  refuseIdle(given, settings, { ...use, job: 'labels' }, labelTable)
  return { settings, recipe: recipeText(optionalText(values, 'preset'), given) }
}

/** Describes a preset and the settings that differ from it, in one line. */
export function recipeText(
  preset = DEFAULT_PRESET,
  given: Readonly<Record<string, unknown>>,
): string {
  const changes = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`)
  return `preset ${preset}${changes.length > 0 ? ` with ${changes.join(', ')}` : ''}`
}

function targetOf(values: Values<typeof labelSettingOptions>): Record<string, unknown> {
  const target = optionalText(values, 'target')
  return target === undefined ? {} : { target }
}

function presetOf<T>(
  values: Values<Pick<typeof settingOptions, 'preset'>>,
  presets: Readonly<Record<string, T>>,
): T {
  return presets[optionalChoice(values, 'preset', Object.keys(presets)) ?? DEFAULT_PRESET]!
}

/** The value of --term-statistics that counts terms among each query's candidates instead. */
const NONE = 'none'

/** The option for the source of term statistics for the BM25 score. */
export const statisticsOption = {
  'term-statistics': {
    value: 'FILE',
    file: 'input',
    help: `file of kith term-statistics (default: statistics of --corpus or --store); ${NONE} counts terms among each query’s candidates only`,
  },
} satisfies Options

/**
 * Reads the source of term statistics. Statistics in a dataset may use a different tokenizer than
 * the settings.
 */
export function readStatisticsSource(values: Values<typeof statisticsOption>): StatisticsSource {
  const file = optionalText(values, 'term-statistics')
  if (file === undefined) return 'corpus'
  if (file === NONE) return 'context'
  return { file, optional: values.filled?.includes('term-statistics') ?? false }
}
