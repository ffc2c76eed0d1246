import { jobDefaults, outsidePolicies } from '@kith/pipelines/job'
import type { QueryFiles, TrainingInputs } from '@kith/pipelines/train'
import type { Options, Values } from './command.ts'
import { modelOptions, readModelOptions } from './encoder-options.ts'
import { setOptionsOf } from './set-option.ts'
import { labelSettingOptions } from './setting-options.ts'
import {
  embeddingOptions,
  levelOption,
  missingOption,
  readEmbeddingOptions,
  readMissing,
} from './shared-options.ts'
import {
  readTrainSettings,
  type TrainRecipe,
  trainingTable,
  trainOptions,
} from './train-options.ts'
import { UsageError } from './usage-error.ts'
import { optionalChoice, optionalText, optionalWhole, text } from './values.ts'

/** The model, the data and the settings of a training, as options. */
export const trainingOptions = {
  docs: { value: 'FILE', file: 'input', help: 'embeddings of the documents', required: true },
  'train-queries': {
    value: 'FILE',
    file: 'input',
    help: 'texts of the training queries',
    required: true,
  },
  'train-run': { value: 'FILE', file: 'input', help: 'their candidates', required: true },
  qrels: { value: 'FILE', file: 'input', help: 'their judgments' },
  'dev-queries': { value: 'FILE', file: 'input', help: 'texts of held-out queries' },
  'dev-run': { value: 'FILE', file: 'input', help: 'their candidates' },
  'dev-qrels': { value: 'FILE', file: 'input', help: 'their judgments' },
  ...levelOption,
  ...missingOption('queries, candidates, judged or labeled documents'),
  ...modelOptions,
  outside: {
    value: 'WHAT',
    help: 'relevant or labeled documents that are not among the candidates: drop or inject',
    default: jobDefaults.outside,
  },
  adapter: { value: 'KIND', help: 'train an adapter of embeddings: linear or mlp' },
  'top-layers': { value: 'N', help: 'uppermost layers that learn', default: 'all' },
  ...trainOptions,
  device: { value: 'NAME', help: 'cpu, or what onnxruntime has here besides', default: 'cpu' },
  threads: { value: 'N', help: 'of the CPU', default: 'all' },
  ...labelSettingOptions,
  ...setOptionsOf(trainingTable),
  ...embeddingOptions,
} satisfies Options

/** The values of `trainingOptions`. */
export async function readTraining(
  values: Values<typeof trainingOptions> & { readonly labels?: string | undefined },
): Promise<{ inputs: TrainingInputs; distil: TrainRecipe['distil']; recipe: string }> {
  const { name, ...model } = readModelOptions(values)
  const { settings, distil, recipe } = await readTrainSettings(values)
  const inputs: TrainingInputs = {
    ...readEmbeddingOptions(values),
    ...model,
    model: name,
    docs: text(values, 'docs'),
    training: {
      queries: text(values, 'train-queries'),
      run: text(values, 'train-run'),
      qrels: optionalText(values, 'qrels'),
    },
    validation: readValidation(values),
    level: optionalWhole(values, 'level'),
    adapter: optionalChoice(values, 'adapter', ['linear', 'mlp']),
    topLayers: optionalWhole(values, 'top-layers', { from: 0 }),
    outside: optionalChoice(values, 'outside', outsidePolicies),
    settings,
    device: optionalText(values, 'device'),
    threads: optionalWhole(values, 'threads'),
    missing: readMissing(values),
  }
  return { inputs, distil, recipe }
}

function readValidation(values: Values<typeof trainingOptions>): QueryFiles | undefined {
  const [queries, run, qrels] = (['dev-queries', 'dev-run', 'dev-qrels'] as const).map((name) =>
    optionalText(values, name),
  )
  // A teacher needs no judgments; where there is none, the training itself asks for them.
  if (queries && run) return { queries, run, qrels }
  if (queries || run || qrels) {
    throw new UsageError('--dev-queries, --dev-run and --dev-qrels go together')
  }
  return undefined
}
