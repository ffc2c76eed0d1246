import type { PartialDistilSettings } from '@kith/core'
import {
  type AnyTable,
  distilTable,
  labelTable,
  refuseIdle,
  resolve,
  rulesOf,
} from '@kith/core/internal'
import { jobDefaults, outsidePolicies } from '@kith/pipelines/job'
import type { FitInputs, QueryFiles, TrainInputs, TrainingSettings } from '@kith/pipelines/train'
import { trainDefaults, trainPresets, trainTable } from '@kith/train/internal'
import type { Options, Values } from './command.ts'
import {
  DISTIL,
  readTargetName,
  readTeacher,
  type targetOption,
  type teacherOptions,
} from './distil-options.ts'
import { modelOptions } from './encoder-options.ts'
import { readGiven, setOptionsOf } from './set-option.ts'
import { labelSettingOptions, recipeOf, recipeText } from './setting-options.ts'
import { missingOption, readMissing } from './shared-options.ts'
import { optionalChoice, optionalText, text, UsageError } from './values.ts'

const count = (from: number) => ({ from, integer: true })
const anyText = { check: () => {} }

/**
 * Inputs of a training that are not files, such as the queries and weights that are trained, and
 * the device.
 */
const trainInputTable: AnyTable = {
  level: { help: 'lowest grade of a relevant document', default: 1, range: count(1) },
  outside: {
    help: 'treatment of labeled documents that are not among the candidates (not for --adapter linear)',
    default: jobDefaults.outside,
    values: outsidePolicies,
  },
  holdOut: {
    help: 'fraction of the training queries held out for choosing the checkpoint and for testing, without --dev-queries',
    default: jobDefaults.holdOut,
    range: { from: 0, below: 1 },
  },
  topLayers: { help: 'number of uppermost layers to train', default: undefined, range: count(0) },
  pooling: {
    help: 'pooling: mean (RepBERT, E5) or first (TAS-B, CoCondenser, BGE)',
    default: undefined,
    values: ['mean', 'first'],
  },
  unitLength: {
    help: 'scale embeddings to length 1 if the model’s files do not say',
    default: undefined,
    values: [true, false],
  },
  maxTokens: { help: 'truncate queries to this many tokens', default: undefined, range: count(1) },
  revision: { help: 'branch, tag or commit of a model on the hub', default: 'main', ...anyText },
  device: {
    help: 'device: cpu, or another device that onnxruntime supports on this machine',
    default: 'cpu',
    ...anyText,
  },
  threads: { help: 'number of CPU threads (default: all)', default: undefined, range: count(1) },
  dimensions: {
    help: 'dimensions of the vectors, for folders of raw memory maps',
    default: undefined,
    range: count(1),
  },
}

/** The settings of a linear adapter. */
const fitTable: AnyTable = {
  shrinkage: {
    help: 'shrinkage of a linear adapter to the identity (default: by the recipe)',
    default: undefined,
    symbol: 'Λ',
    range: { from: 0, above: true },
  },
}

/** `target` is configured by the label settings; `epsilon` is a setting of the target uniform. */
const { target, epsilon, ...plain } = trainTable

/** The settings of step-by-step training. */
const stepTable: AnyTable = {
  ...plain,
  epochs: {
    help: 'number of epochs (default: 4 for an encoder, 20 for an adapter)',
    default: undefined,
    range: count(1),
  },
  learningRate: {
    ...plain.learningRate,
    help: 'peak learning rate (default: 3e-5 for an encoder, 1e-3 for an adapter)',
    default: undefined,
  },
  earlyStoppingPatience: {
    ...plain.earlyStoppingPatience,
    help: 'early stopping: validations without improvement before training ends (0: never; default: a quarter, at least 3, without --dev-queries)',
    default: undefined,
  },
  inverseTemperature: {
    ...plain.inverseTemperature,
    help: 'factor of scores before the softmax (default: by the scale of the embeddings)',
    default: undefined,
  },
}

/** The settings of a training that --set names. */
export const trainSettingTable: AnyTable = { ...fitTable, ...stepTable, ...trainInputTable }

/** All settings that `kith train --set` takes. */
export const trainingTable: AnyTable = { ...labelTable, ...distilTable, ...trainSettingTable }

/** Settings of step-by-step training that a linear adapter has, too. */
const shared = ['seed']

/** Inputs that a linear adapter has. */
const fitInputs = ['level', 'holdOut', 'device', 'threads', 'dimensions']

/** The settings of a training and of its teacher, and a readable description of both. */
interface TrainRecipe {
  settings: TrainingSettings
  /** The value of each row of `trainInputTable` that is given. */
  inputs: Readonly<Record<string, unknown>>
  /** Λ of a linear adapter. */
  shrinkage: number | undefined
  /** How a teacher's scores become labels; undefined if there is no teacher. */
  distil: PartialDistilSettings
  /** A description such as `preset paper-tas-b with labelDepth=8`. */
  recipe: string
}

type TrainValues = Values<typeof labelSettingOptions & typeof targetOption> & {
  readonly labels?: string | undefined
  readonly adapter?: string | undefined
}

/** Reads the settings that the options name, completes them with a preset, and checks them. */
export async function readTrainSettings(values: TrainValues): Promise<TrainRecipe> {
  const given: Record<string, unknown> = await readGiven(values, trainingTable)
  if (given['steps'] !== undefined && given['epochs'] !== undefined) {
    throw new UsageError('steps and epochs cannot be combined; set one of them')
  }
  const parts = split(given)
  const linear = values.adapter === 'linear'
  if (linear) refuseSteps(parts)
  else refuseSettings(parts.fit, 'needs --adapter linear')
  const preset = optionalText(values, 'preset') ?? ''
  const paper = Object.hasOwn(trainPresets, preset)
    ? trainPresets[preset as keyof typeof trainPresets]
    : undefined
  const settings = resolve(parts.steps, paper ?? {}, rulesOf(stepTable)) as TrainingSettings
  const model = values.adapter === undefined ? 'encoder' : 'adapter'
  refuseIdle(parts.steps, { ...trainDefaults, ...settings, model }, { texts: false }, stepTable)
  const checked = { ...trainInputTable, ...fitTable }
  resolve({ ...parts.inputs, ...parts.fit }, {}, rulesOf(checked))
  const name = readTargetName(values)
  const targets = name !== DISTIL && (name !== undefined || (paper && values.labels === undefined))
  if (!targets) refuseSettings(parts.labels, 'needs --target and a kind of evidence')
  // A linear adapter may learn from a teacher as well as from labels.
  if (name !== DISTIL && !linear) refuseSettings(parts.distil, `needs --target ${DISTIL}`)
  const target = targets
    ? recipeOf(
        values,
        { ...(name === undefined ? {} : { target: name }), ...parts.labels },
        { texts: false },
      ).settings
    : undefined
  return {
    settings: { ...settings, target },
    inputs: parts.inputs,
    shrinkage: parts.fit['shrinkage'] as number | undefined,
    distil: parts.distil,
    recipe: `${recipeText(optionalText(values, 'preset'), given)}, ${targetText(name, values.labels, target?.target)}`,
  }
}

/** Describes the targets of a training. */
function targetText(name: string | undefined, labels: string | undefined, kind = name): string {
  if (labels !== undefined) return `labels of ${labels}`
  return kind === undefined ? 'judged documents as targets' : `target ${kind}`
}

type Given = Record<string, unknown>

/** Groups settings by training, labels and teacher. */
function split(given: Readonly<Given>) {
  const of = (table: AnyTable, others: AnyTable = {}): Given =>
    Object.fromEntries(Object.entries(given).filter(([name]) => name in table && !(name in others)))
  return {
    steps: of(stepTable),
    inputs: of(trainInputTable),
    fit: of(fitTable),
    distil: of(distilTable),
    labels: of(labelTable, trainSettingTable),
  }
}

/** Refuses settings that a linear adapter does not have. */
function refuseSteps({ steps, inputs }: ReturnType<typeof split>): void {
  const without = (given: Given, allowed: readonly string[]) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => !allowed.includes(name)))
  refuseSettings(
    without(steps, shared),
    'works only for training by steps, and --adapter linear is fitted',
  )
  refuseSettings(without(inputs, fitInputs), 'works only for encoders and training by steps')
}

function refuseSettings(given: object, reason: string): void {
  const [name] = Object.keys(given)
  if (name !== undefined) {
    throw new UsageError(`setting ${name} has no effect: ${name} ${reason}; leave it out`)
  }
}

/** The model, the data and the settings of a training, as options. */
export const trainingOptions = {
  docs: { value: 'FILE', file: 'input', help: 'document embeddings', required: true },
  'train-queries': {
    value: 'FILE',
    file: 'input',
    help: 'training queries: texts, or embeddings for an adapter',
    required: true,
  },
  'train-run': {
    value: 'FILE',
    file: 'input',
    help: 'run with the candidates of the training queries',
    required: true,
  },
  qrels: { value: 'FILE', file: 'input', help: 'relevance judgments of the training queries' },
  'dev-queries': { value: 'FILE', file: 'input', help: 'dev queries, held out from training' },
  'dev-run': { value: 'FILE', file: 'input', help: 'run with the candidates of the dev queries' },
  'dev-qrels': { value: 'FILE', file: 'input', help: 'relevance judgments of the dev queries' },
  model: modelOptions.model,
  'query-prefix': modelOptions['query-prefix'],
  adapter: { value: 'KIND', help: 'train an adapter of query embeddings: linear or mlp' },
  ...missingOption('queries, candidates, judged or labeled documents'),
  ...labelSettingOptions,
  target: { ...labelSettingOptions.target, default: 'judgments' },
  ...setOptionsOf(trainingTable),
} satisfies Options

/** The files that a training leaves in its folder. */
export const trainingResults = [
  ...['model.safetensors', 'config.json', 'tokenizer.json', 'tokenizer_config.json'],
  ...['modules.json', '1_Pooling/config.json', 'adapter.safetensors', 'metrics.jsonl'],
  ...['checkpoints/latest.safetensors', 'checkpoints/best.safetensors'],
  'checkpoints/lower-layers.bin',
  ...['curves.svg', 'curves.html', 'held-out.trec'],
]

type TrainingValues = Values<typeof trainingOptions & typeof targetOption> & {
  readonly labels?: string | undefined
}

/** A step-by-step training, as the options name it. */
interface ReadTraining {
  inputs: Omit<TrainInputs, 'out'>
  distil: PartialDistilSettings
  recipe: string
}

/** Reads the encoder or adapter to train in steps, its data and its settings. */
export async function readTraining(values: TrainingValues): Promise<ReadTraining> {
  const { settings, inputs, distil, recipe } = await readTrainSettings(values)
  const { unitLength, revision, device, ...others } = inputs
  const read = {
    ...readFiles(values),
    ...others,
    model: optionalText(values, 'model'),
    queryPrefix: optionalText(values, 'query-prefix'),
    adapter: optionalChoice(values, 'adapter', ['linear', 'mlp']),
    normalize: unitLength as boolean | undefined,
    revision: asText(revision),
    device: asText(device),
    settings,
  }
  return { inputs: read as ReadTraining['inputs'], distil, recipe }
}

/** Reads the data of a linear adapter, and its training target. */
export async function readFit(
  values: TrainingValues & Values<typeof teacherOptions>,
): Promise<Omit<FitInputs, 'out'>> {
  const { settings, inputs, shrinkage, distil } = await readTrainSettings(values)
  const { device, ...others } = inputs
  if (values['query-prefix'] !== undefined) {
    throw new UsageError(
      '--query-prefix has no effect with --adapter, which takes embeddings; leave it out',
    )
  }
  const target = readTargetName(values)
  const read = {
    ...readFiles(values),
    ...others,
    device: asText(device),
    teacher: readTeacher(values, distil),
    recipe: target === DISTIL ? 'ranking' : target === 'one-hot' ? 'labels' : undefined,
    settings: {
      ...{ shrinkage, seed: settings.seed },
      target: target === 'one-hot' ? undefined : (settings.target ?? undefined),
    },
  }
  return read as Omit<FitInputs, 'out'>
}

function readFiles(values: TrainingValues) {
  return {
    docs: text(values, 'docs'),
    training: {
      queries: text(values, 'train-queries'),
      run: text(values, 'train-run'),
      qrels: optionalText(values, 'qrels'),
      labels: values.labels,
    },
    validation: readValidation(values),
    missing: readMissing(values),
  }
}

function readValidation(values: TrainingValues): QueryFiles | undefined {
  const [queries, run, qrels] = (['dev-queries', 'dev-run', 'dev-qrels'] as const).map((name) =>
    optionalText(values, name),
  )
  // A teacher needs no judgments; without a teacher, the training itself asks for judgments.
  if (queries && run) return { queries, run, qrels }
  if (queries || run || qrels) {
    throw new UsageError('--dev-queries, --dev-run and --dev-qrels must be given together')
  }
  return undefined
}

function asText(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value)
}
