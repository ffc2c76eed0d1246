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
import { readTuned, type Tuned } from '@kith/tune'
import type { Options, Values } from './command.ts'
import { isTuned, readGiven, readSet, setOptionsOf } from './set-option.ts'
import type { textOptions } from './shared-options.ts'
import { optionalChoice, optionalText, UsageError } from './values.ts'

/** The preset that holds without --preset. */
const DEFAULT_PRESET = 'balanced'

/** Settings of the method: a preset, and what differs from it. */
export const settingOptions = {
  preset: { value: 'NAME', help: 'preset that settings start from', default: DEFAULT_PRESET },
  ...setOptionsOf(methodTable),
} satisfies Options

type MethodValues = Values<typeof settingOptions>

/** The settings of a ranking: the output of `kith tune`, or the settings in the options. */
export interface RankingSettings {
  settings: MethodSettings
  tuned: Tuned | undefined
  /** The settings of a table beside the method's. */
  more: Record<string, unknown>
}

/**
 * The settings that the options name, completed by a preset and checked. Settings that have no effect
 * are refused: `texts` says whether there are any.
 *
 * @param beside A table of further settings that --set and --settings take.
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

/** The settings of a table apart from all others. */
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

/** Whether the options name texts. */
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
  return readTuned(file)
}

/** The settings of labels. */
export const labelSettingOptions = {
  target: {
    value: 'KIND',
    help: `evidence for the labels: ${labelTable.target.values!.join(', ')}`,
    default: labelTable.target.default,
  },
  ...settingOptions,
  ...setOptionsOf(labelTable),
} satisfies Options

/** Names and settings of labels, and a description of the difference from the preset. */
export interface LabelRecipe {
  settings: LabelSettings
  /** A description such as `preset balanced with boost=3`. */
  recipe: string
}

/** The label settings that the options name, completed by a preset and checked. */
export async function readLabelSettings(
  values: Values<typeof labelSettingOptions>,
  { texts }: { texts: boolean },
): Promise<LabelRecipe> {
  const given = { ...targetOf(values), ...(await readGiven(values, labelTable)) }
  return recipeOf(values, given, { texts })
}

/** The settings of an audit that the options name, completed by a preset and checked. */
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

/** Label settings that are given, completed by the preset of the options. */
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

/** A preset and the settings that differ from it, in one line. */
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

/** The value of --term-statistics for terms that are counted among each query's candidates. */
const NONE = 'none'

/** The source of term statistics for the BM25 score. */
export const statisticsOption = {
  'term-statistics': {
    value: 'FILE',
    file: 'input',
    help: `file of kith term-statistics (default: statistics of --corpus or --store); ${NONE} counts terms among each query’s candidates only`,
  },
} satisfies Options

/**
 * The source of term statistics that the option names. Statistics in a dataset may have another
 * tokenizer than the settings.
 */
export function readStatisticsSource(values: Values<typeof statisticsOption>): StatisticsSource {
  const file = optionalText(values, 'term-statistics')
  if (file === undefined) return 'corpus'
  if (file === NONE) return 'context'
  return { file, optional: values.filled?.includes('term-statistics') ?? false }
}
