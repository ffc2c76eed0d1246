import { type PartialDistilSettings, type Target, targets } from '@kith/core'
import { distilTable } from '@kith/core/internal'
import type { TeacherInputs } from '@kith/pipelines/train'
import type { Options, Values } from './command.ts'
import { readGiven, type setOptions } from './set-option.ts'
import {
  labelSettingOptions,
  readStatisticsSource,
  type statisticsOption,
} from './setting-options.ts'
import type { textOptions } from './shared-options.ts'
import { UsageError } from './usage-error.ts'
import { optionalChoice, optionalText } from './values.ts'

/** The target that is a teacher's ranking: it needs no judgments. */
export const DISTIL = 'distil'

/** The target as an option of commands that take a teacher, too. */
export const targetOption = {
  target: {
    ...labelSettingOptions.target,
    help: `${labelSettingOptions.target.help}; ${DISTIL}: a better ranking, without judgments`,
  },
} satisfies Options

/** The target that is named, evidence or a teacher; undefined without one. */
export function readTargetName(
  values: Values<Pick<typeof labelSettingOptions, 'target'>>,
): Target | typeof DISTIL | undefined {
  return optionalChoice(values, 'target', [...targets, DISTIL])
}

/** The teacher of a training with `--target distil`. */
export const distilOptions = {
  teacher: {
    value: 'FILE',
    file: 'input',
    help: `of --target ${DISTIL}: a run, such as a cross-encoder’s, instead of what kith rerank would do`,
  },
} satisfies Options

/** How a teacher's scores become labels; undefined for other targets. */
export async function readDistilSettings(
  values: Values<typeof setOptions & typeof targetOption>,
): Promise<PartialDistilSettings | undefined> {
  if (readTargetName(values) !== DISTIL) return undefined
  return readGiven(values, distilTable)
}

/** The teacher of a training, with the texts that it reads. */
export function readTeacher(
  values: Values<
    typeof distilOptions & typeof targetOption & typeof textOptions & typeof statisticsOption
  >,
  settings: PartialDistilSettings | undefined,
): TeacherInputs | undefined {
  const run = optionalText(values, 'teacher')
  const [corpus, queryText] = [optionalText(values, 'corpus'), optionalText(values, 'query-text')]
  const statistics = readStatisticsSource(values)
  if (!settings) {
    const given = [run, corpus, queryText].some((file) => file !== undefined)
    if (!given && statistics === 'corpus') return undefined
    throw new UsageError(`--teacher, texts and terms belong to --target ${DISTIL}: leave them out`)
  }
  if (run !== undefined) return { ...settings, run, corpus }
  if (corpus !== undefined) return { ...settings, corpus, queryText, statistics }
  throw new UsageError(
    `--target ${DISTIL} takes the texts of the documents (--corpus), or a --teacher`,
  )
}
