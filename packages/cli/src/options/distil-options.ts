import { type PartialDistilSettings, type Target, targets } from '@kith/core'
import { distilTable } from '@kith/core/internal'
import type { Options, Values } from './command.ts'
import { readGiven, type setOptions } from './set-option.ts'
import { labelSettingOptions } from './setting-options.ts'
import { optionalChoice } from './values.ts'

/** The target that is a teacher's ranking: it needs no judgments. */
export const DISTIL = 'distil'

/** The target as an option of commands that take a teacher, too. */
export const targetOption = {
  target: {
    ...labelSettingOptions.target,
    help: `${labelSettingOptions.target.help}; ${DISTIL} learns from a teacher’s ranking and needs no judgments`,
  },
} satisfies Options

/** The target that is named, evidence or a teacher; undefined without one. */
export function readTargetName(
  values: Values<Pick<typeof labelSettingOptions, 'target'>>,
): Target | typeof DISTIL | undefined {
  return optionalChoice(values, 'target', [...targets, DISTIL])
}

/** How a teacher's scores become labels; undefined for other targets. */
export async function readDistilSettings(
  values: Values<typeof setOptions & typeof targetOption>,
): Promise<PartialDistilSettings | undefined> {
  if (readTargetName(values) !== DISTIL) return undefined
  return readGiven(values, distilTable)
}
