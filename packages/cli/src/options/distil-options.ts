import { type PartialDistilSettings, type Target, targets } from '@kith/core'
import { distilTable } from '@kith/core/internal'
import type { TeacherInputs } from '@kith/pipelines/train'
import type { Options, Values } from './command.ts'
import { readGiven, type setOptions } from './set-option.ts'
import { labelSettingOptions } from './setting-options.ts'
import { textOptions } from './shared-options.ts'
import { optionalChoice, optionalText, UsageError } from './values.ts'

/** The target that learns from a teacher's ranking; it needs no judgments. */
export const DISTIL = 'distil'

/** The option --target of commands that also accept a teacher. */
export const targetOption = {
  target: {
    ...labelSettingOptions.target,
    help: `${labelSettingOptions.target.help}; ${DISTIL} learns from a teacher’s ranking and needs no judgments`,
  },
} satisfies Options

/**
 * Returns the target that --target names, a kind of evidence or a teacher; undefined if --target is
 * not set.
 */
export function readTargetName(
  values: Values<Pick<typeof labelSettingOptions, 'target'>>,
): Target | typeof DISTIL | undefined {
  return optionalChoice(values, 'target', [...targets, DISTIL])
}

/**
 * Reads the settings that turn a teacher's scores into labels; returns undefined for other targets.
 */
export async function readDistilSettings(
  values: Values<typeof setOptions & typeof targetOption>,
): Promise<PartialDistilSettings | undefined> {
  if (readTargetName(values) !== DISTIL) return undefined
  return readGiven(values, distilTable)
}

/** Options for the texts or the run that a teacher ranks by. */
export const teacherOptions = {
  ...textOptions,
  teacher: {
    value: 'FILE',
    file: 'input',
    help: 'run to learn from, such as a cross-encoder’s, instead of Kith’s ranking of --corpus',
  },
} satisfies Options

/**
 * Reads the teacher of a training and the texts that the teacher needs; returns undefined if none
 * is named.
 */
export function readTeacher(
  values: Values<typeof teacherOptions & typeof targetOption> & {
    readonly adapter?: string | undefined
  },
  distil: PartialDistilSettings,
): TeacherInputs | undefined {
  const run = optionalText(values, 'teacher')
  const [corpus, queryText] = [optionalText(values, 'corpus'), optionalText(values, 'query-text')]
  const needed = readTargetName(values) === DISTIL
  if (!needed && values.adapter !== 'linear' && (run ?? corpus ?? queryText) !== undefined) {
    throw new UsageError(
      `--teacher, --corpus and --query-text work only with --target ${DISTIL} or --adapter linear; leave them out`,
    )
  }
  if (run !== undefined) return { ...distil, run, corpus }
  if (corpus !== undefined) {
    return { ...distil, corpus, queryText, defaultTokenizer: values.defaultTokenizer }
  }
  if (needed) {
    throw new UsageError(
      `--target ${DISTIL} needs a ranking to learn from; add --corpus and --query-text, or --teacher FILE`,
    )
  }
  const [setting] = Object.keys(distil)
  if (setting === undefined && queryText === undefined) return undefined
  const given = setting ? `setting ${setting}` : '--query-text'
  throw new UsageError(`${given} needs --corpus; add --corpus FILE or leave it out`)
}
