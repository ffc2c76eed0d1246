import type { PartialDistilSettings } from '@kith/core'
import {
  type AnyTable,
  distilTable,
  labelTable,
  refuseIdle,
  resolve,
  rulesOf,
} from '@kith/core/internal'
import { jobDefaults } from '@kith/pipelines/job'
import type { TrainingSettings } from '@kith/pipelines/train'
import { trainDefaults, trainPresets, trainTable } from '@kith/train/internal'
import type { Options, Values } from './command.ts'
import { defaultText } from './default-text.ts'
import { DISTIL, readTargetName, type targetOption } from './distil-options.ts'
import { readGiven } from './set-option.ts'
import { type labelSettingOptions, recipeOf, recipeText } from './setting-options.ts'
import { UsageError } from './usage-error.ts'
import { optionalNumber, optionalText, optionalWhole } from './values.ts'

/** The settings of a training that are set most often. */
export const trainOptions = {
  epochs: {
    value: 'N',
    help: 'times that each query is seen',
    default: defaultText(jobDefaults.epochs),
  },
  'learning-rate': {
    value: 'R',
    help: 'peak learning rate',
    default: defaultText(trainDefaults.learningRate),
  },
} satisfies Options

/** The targets have settings of their own: those of labels; `epsilon` is that of the target uniform. */
const { target, epsilon, ...plain } = trainTable

/** The settings of a training that --set names. */
export const trainSettingTable: AnyTable = {
  ...plain,
  epochs: {
    help: 'times that each query is seen',
    default: jobDefaults.epochs,
    range: { from: 1, integer: true },
  },
}

/** All settings that `kith train --set` takes. */
export const trainingTable: AnyTable = { ...labelTable, ...distilTable, ...trainSettingTable }

/** The settings of a training, of its teacher, and what they are for people. */
export interface TrainRecipe {
  settings: TrainingSettings
  /** How a teacher's scores become labels; undefined where there is no teacher. */
  distil: PartialDistilSettings | undefined
  /** Such as `preset paper-tas-b with labelDepth=8`. */
  recipe: string
}

type TrainValues = Values<
  typeof trainOptions & typeof labelSettingOptions & typeof targetOption
> & { readonly labels?: string | undefined }

/** The settings that the options name, completed by a preset and checked. */
export async function readTrainSettings(values: TrainValues): Promise<TrainRecipe> {
  const given: Record<string, unknown> = {
    ...without(undefined, {
      epochs: optionalWhole(values, 'epochs'),
      learningRate: optionalNumber(values, 'learning-rate'),
    }),
    ...(await readGiven(values, trainingTable)),
  }
  if (given['steps'] !== undefined && given['epochs'] !== undefined) {
    throw new UsageError('steps and epochs say the same: set one of them')
  }
  const { own, labels, distil } = split(given)
  const preset = optionalText(values, 'preset') ?? ''
  const paper = Object.hasOwn(trainPresets, preset)
    ? trainPresets[preset as keyof typeof trainPresets]
    : undefined
  const settings = resolve(own, paper ?? {}, rulesOf(trainSettingTable)) as TrainingSettings
  refuseIdle(own, { ...trainDefaults, ...settings }, { texts: false }, trainSettingTable)
  const name = readTargetName(values)
  const targets = name !== DISTIL && (name !== undefined || (paper && values.labels === undefined))
  if (!targets) refuseSettings(labels, 'needs --target and a kind of evidence')
  if (name !== DISTIL) refuseSettings(distil, `needs --target ${DISTIL}`)
  const target = targets
    ? recipeOf(values, { ...without(undefined, { target: name }), ...labels }, { texts: false })
        .settings
    : undefined
  return {
    settings: { ...settings, target },
    distil: name === DISTIL ? distil : undefined,
    recipe: `${recipeText(optionalText(values, 'preset'), given)}, ${targetText(name, values.labels, target?.target)}`,
  }
}

/** The targets of a training, for people. */
function targetText(name: string | undefined, labels: string | undefined, kind = name): string {
  if (labels !== undefined) return `targets of ${labels}`
  return kind === undefined ? 'judged documents as targets' : `target ${kind}`
}

/** The settings of the training, of its labels and of its teacher. */
function split(given: Readonly<Record<string, unknown>>) {
  const of = (table: AnyTable, others: AnyTable = {}) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => name in table && !(name in others)))
  return {
    own: of(trainSettingTable),
    distil: of(distilTable),
    labels: of(labelTable, trainSettingTable),
  }
}

function refuseSettings(given: object, reason: string): void {
  const [name] = Object.keys(given)
  if (name !== undefined) throw new UsageError(`setting ${name} has no effect: it ${reason}`)
}

/** An object without the names that have a value. */
function without(value: unknown, given: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(given).filter(([, one]) => one !== value))
}
