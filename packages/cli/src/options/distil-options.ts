import { distilDefaults, type PartialDistilSettings, type Target, targets } from '@kith/core'
import type { TeacherInputs } from '@kith/pipelines'
import type { Options, Values } from './command.ts'
import { defaultText } from './default-text.ts'
import {
  labelSettingOptions,
  readStatisticsSource,
  type statisticsOptions,
} from './setting-options.ts'
import type { textOptions } from './shared-options.ts'
import { UsageError } from './usage-error.ts'
import { optionalChoice, optionalNumber, optionalText, optionalWhole } from './values.ts'

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

/** How the scores of a teacher become labels. */
export const distilSettingOptions = {
  'teacher-depth': {
    value: 'N',
    help: `of --target ${DISTIL}: documents with a label above 0`,
    default: defaultText(distilDefaults.depth),
  },
  'teacher-sharpness': {
    value: 'F',
    help: `of --target ${DISTIL}: factor of the teacher’s standardized scores`,
    default: defaultText(distilDefaults.sharpness),
  },
} satisfies Options

/** The teacher of a training with `--target distil`. */
export const distilOptions = {
  teacher: {
    value: 'FILE',
    file: 'input',
    help: `of --target ${DISTIL}: a run, such as a cross-encoder’s, instead of what kith rerank would do`,
  },
  ...distilSettingOptions,
} satisfies Options

/** How a teacher's scores become labels; undefined for other targets. */
export function readDistilSettings(
  values: Values<typeof distilSettingOptions & typeof targetOption>,
): PartialDistilSettings | undefined {
  if (readTargetName(values) === DISTIL) {
    return {
      depth: optionalWhole(values, 'teacher-depth'),
      sharpness: optionalNumber(values, 'teacher-sharpness'),
    }
  }
  const names = Object.keys(distilSettingOptions) as (keyof typeof distilSettingOptions)[]
  const given = names.find((name) => values[name] !== undefined)
  if (given !== undefined) throw new UsageError(`--${given} belongs to --target ${DISTIL}`)
  return undefined
}

/** The teacher of a training, with the texts that it reads. */
export function readTeacher(
  values: Values<
    typeof distilOptions & typeof targetOption & typeof textOptions & typeof statisticsOptions
  >,
): TeacherInputs | undefined {
  const settings = readDistilSettings(values)
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
