import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { type Embeddings, openEmbeddings } from '@kith/ir'
import { embeddingFiles } from '@kith/ir/internal'
import { readTrainingQueries } from '@kith/pipelines/internal'
import { type QueryFiles } from '@kith/pipelines'
import type { PartialTrainSettings, QueryModel, TrainingQuery } from '@kith/train'
import type { Output } from '../terminal/output.ts'
import type { Options, Values } from './command.ts'
import { modelOptions, readModelOptions } from './encoder-options.ts'
import { labelSettingOptions } from './setting-options.ts'
import { embeddingOptions, readEmbeddingOptions } from './shared-options.ts'
import { readTrainSettings, trainOptions } from './train-options.ts'
import { UsageError } from './usage-error.ts'
import { isSet, optionalChoice, optionalText, optionalWhole, text } from './values.ts'

/** What is trained, on what, and how. */
export const trainingOptions = {
  docs: { value: 'FILE', file: 'input', help: 'embeddings of the documents', required: true },
  'train-queries': {
    value: 'FILE',
    file: 'input',
    help: 'texts of the training queries',
    required: true,
  },
  'train-run': { value: 'FILE', file: 'input', help: 'their candidates', required: true },
  qrels: { value: 'FILE', file: 'input', help: 'their judgements', required: true },
  'dev-queries': { value: 'FILE', file: 'input', help: 'texts of held-out queries' },
  'dev-run': { value: 'FILE', file: 'input', help: 'their candidates' },
  'dev-qrels': { value: 'FILE', file: 'input', help: 'their judgements' },
  level: { value: 'GRADE', help: 'from which grade on a document is relevant', default: '1' },
  ...modelOptions,
  adapter: { value: 'KIND', help: 'train an adapter of embeddings: linear or mlp' },
  'top-layers': { value: 'N', help: 'uppermost layers that learn', default: 'all' },
  ...trainOptions,
  device: { value: 'NAME', help: 'cpu, or what onnxruntime has here besides', default: 'cpu' },
  threads: { value: 'N', help: 'of the CPU', default: 'all' },
  ...labelSettingOptions,
  ...embeddingOptions,
} satisfies Options

/** Only `kith train` takes labels; a search of settings makes them itself. */
type TrainingValues = Values<typeof trainingOptions & { labels: { value: string; help: string } }>

/** All that a training takes, opened. */
export interface TrainingSetup {
  docs: Embeddings
  /** Size and modification time of their files, which tell them from what was there before. */
  docsVersion: string
  queries: TrainingQuery[]
  validation: TrainingQuery[] | undefined
  settings: PartialTrainSettings
  device: { device: string | undefined; threads: number }
  /** The files that were read. */
  files: string[]
  /** A model with the weights that training starts from. */
  openModel(): Promise<QueryModel>
  close(): void
}

/** Opens what the options name. */
export async function openTraining(values: TrainingValues, output: Output): Promise<TrainingSetup> {
  const files = trainingFiles(values)
  const docsFile = text(values, 'docs')
  const vectors = optionalText(values, 'adapter') !== undefined
  const docs = await openEmbeddings(docsFile, readEmbeddingOptions(values))
  try {
    const reading = { docs, level: optionalWhole(values, 'level') ?? 1, vectors }
    const { queries, withoutTruth } = await readTrainingQueries(files.train, reading)
    remarkWithoutTruth(withoutTruth, files.train, output)
    const dev = files.dev && (await readTrainingQueries(files.dev, reading))
    if (files.dev) remarkWithoutTruth(dev?.withoutTruth ?? 0, files.dev, output)
    const inputs = [docsFile, ...Object.values(files.train), ...Object.values(files.dev ?? {})]
    return {
      docs,
      docsVersion: await versionOf(docsFile),
      queries,
      validation: dev?.queries,
      settings: readTrainSettings(values, queries.length),
      device: {
        device: optionalText(values, 'device'),
        threads: optionalWhole(values, 'threads') ?? availableParallelism(),
      },
      files: inputs.filter((file) => file !== undefined),
      openModel: () => openTrainable(values, docs.dimensions),
      close: () => docs.close(),
    }
  } catch (error) {
    docs.close()
    throw error
  }
}

/** Size and modification time of the files of embeddings. */
async function versionOf(file: string): Promise<string> {
  const files = await Promise.all(embeddingFiles(file).map((part) => stat(part)))
  return files.map(({ size, mtime }) => `${size} bytes of ${mtime.toISOString()}`).join(', ')
}

function remarkWithoutTruth(count: number, { run }: QueryFiles, output: Output): void {
  if (count > 0) output.remark(`${count} queries of ${run} have no relevant document`)
}

function trainingFiles(values: TrainingValues): { train: QueryFiles; dev: QueryFiles | undefined } {
  const train = {
    queries: text(values, 'train-queries'),
    run: text(values, 'train-run'),
    qrels: text(values, 'qrels'),
    labels: optionalText(values, 'labels'),
  }
  if (train.labels !== undefined && values['target'] !== undefined) {
    throw new UsageError('--labels has the targets already: leave out --target')
  }
  const [queries, run, qrels] = (['dev-queries', 'dev-run', 'dev-qrels'] as const).map((name) =>
    optionalText(values, name),
  )
  if (queries && run && qrels) return { train, dev: { queries, run, qrels } }
  if (queries || run || qrels) {
    throw new UsageError('--dev-queries, --dev-run and --dev-qrels go together')
  }
  return { train, dev: undefined }
}

/** Which model is trained, as the options say it: what a sidecar names. */
export function modelSettings(values: TrainingValues): Readonly<Record<string, unknown>> {
  const adapter = optionalText(values, 'adapter')
  const { name, ...options } = readModelOptions(values)
  if (adapter !== undefined) return { adapter, normalise: options.normalise }
  return { model: name, ...options, topLayers: optionalWhole(values, 'top-layers', { from: 0 }) }
}

async function openTrainable(values: TrainingValues, dimensions: number): Promise<QueryModel> {
  const { AdapterModel, openEncoderModel } = await import('@kith/train')
  const kind = optionalChoice(values, 'adapter', ['linear', 'mlp'])
  const topLayers = optionalWhole(values, 'top-layers', { from: 0 })
  const { name, ...options } = readModelOptions(values)
  if (kind === undefined) return openEncoderModel(name, { ...options, topLayers })
  if (topLayers !== undefined)
    throw new UsageError('--adapter has no layers: leave out --top-layers')
  const seed = optionalWhole(values, 'seed', { from: 0 })
  return new AdapterModel({ kind, dimensions, seed, normalise: isSet(values, 'unit-length') })
}
