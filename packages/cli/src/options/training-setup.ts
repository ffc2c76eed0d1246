import type { PartialDistilSettings } from '@kith/core'
import type { FitInputs, QueryFiles, TeacherInputs, TrainInputs } from '@kith/pipelines/train'
import type { Options, Values } from './command.ts'
import { DISTIL, readTargetName, type targetOption } from './distil-options.ts'
import { modelOptions } from './encoder-options.ts'
import { setOptionsOf } from './set-option.ts'
import { labelSettingOptions } from './setting-options.ts'
import { missingOption, readMissing, textOptions } from './shared-options.ts'
import { readTrainSettings, trainingTable } from './train-options.ts'
import { UsageError } from './usage-error.ts'
import { optionalChoice, optionalText, text } from './values.ts'

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

/** The texts or the run that a teacher ranks by. */
export const teacherOptions = {
  ...textOptions,
  teacher: {
    value: 'FILE',
    file: 'input',
    help: 'run to learn from, such as a cross-encoder’s, instead of Kith’s ranking of --corpus',
  },
} satisfies Options

type TrainingValues = Values<typeof trainingOptions & typeof targetOption> & {
  readonly labels?: string | undefined
}

/** A training by steps, as the options name it. */
export interface ReadTraining {
  inputs: Omit<TrainInputs, 'out'>
  distil: PartialDistilSettings
  recipe: string
}

/** The encoder or adapter that learns by steps, its data and its settings. */
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

/** The data of a linear adapter, and what it learns. */
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

/** The teacher of a training, with the texts that it reads; undefined if none is named. */
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
  if (corpus !== undefined) return { ...distil, corpus, queryText }
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
  // A teacher needs no judgments; if there is none, the training itself asks for them.
  if (queries && run) return { queries, run, qrels }
  if (queries || run || qrels) {
    throw new UsageError('--dev-queries, --dev-run and --dev-qrels must be given together')
  }
  return undefined
}

function asText(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value)
}
