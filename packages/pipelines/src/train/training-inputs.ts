import { KithError } from '@kith/core'
import type { OpenEmbeddingsOptions } from '@kith/ir'
import type {
  AdapterKind,
  EncoderModelOptions,
  PartialTrainSettings,
  QueryModel,
} from '@kith/train'
import { trainDefaults } from '@kith/train/internal'
import { jobDefaults } from '../job-defaults.ts'
import type { MissingPolicy } from '../join/missing.ts'
import type { QueryFiles } from './read-training-queries.ts'

/** The settings of a training; its length is counted in steps, or in epochs. */
export interface TrainingSettings extends PartialTrainSettings {
  /** Times that each query is seen, instead of `steps`; default 10. */
  epochs?: number | undefined
}

/** The model, the data and the settings of a training. */
export interface TrainingInputs extends OpenEmbeddingsOptions, EncoderModelOptions {
  /** Embeddings of the documents, which stay as they are. */
  docs: string
  /** The queries that are learned from. */
  training: QueryFiles
  /** Held-out queries; without them nothing is validated, and the last weights are the result. */
  validation?: QueryFiles | undefined
  /** From which grade on a document is relevant; default 1. */
  level?: number | undefined
  /** The encoder that learns: `minilm`, a folder, or a name on the hub; default minilm. */
  model?: string | undefined
  /** An adapter that learns instead: the queries' files are embeddings then, which it changes. */
  adapter?: AdapterKind | undefined
  settings?: TrainingSettings | undefined
  /** The device that onnxruntime computes on; default cpu. */
  device?: string | undefined
  /** Threads of the CPU; default: all. */
  threads?: number | undefined
  /** The policy for queries and documents that lack an embedding, a text or labels; default: error. */
  missing?: MissingPolicy | undefined
}

/** Throws where inputs contradict each other. */
export function checkTraining({
  adapter,
  topLayers,
  training,
  settings = {},
}: TrainingInputs): void {
  const fail = (problem: string) => new KithError('BAD_SETTING', problem)
  if (adapter !== undefined && topLayers !== undefined) {
    throw fail('an adapter has no layers: leave out topLayers')
  }
  if (training.labels !== undefined && settings.target) {
    throw fail('the labels are targets already: leave out the target of the settings')
  }
  if (settings.steps !== undefined && settings.epochs !== undefined) {
    throw fail('steps and epochs say the same: give one of them')
  }
}

/** The settings with the number of steps for some queries; each epoch is validated unless told otherwise. */
export function stepsFor(
  { epochs = jobDefaults.epochs, ...settings }: TrainingSettings,
  queries: number,
): PartialTrainSettings & { steps: number } {
  const {
    batchSize = trainDefaults.batchSize,
    gradientAccumulation = trainDefaults.gradientAccumulation,
  } = settings
  const epoch = Math.max(1, Math.ceil(queries / (batchSize * gradientAccumulation)))
  return {
    ...settings,
    steps: settings.steps ?? epochs * epoch,
    batchSize,
    gradientAccumulation,
    validateEvery: settings.validateEvery ?? epoch,
  }
}

/** The options of the encoder that learns. */
function encoderOptions(inputs: TrainingInputs): EncoderModelOptions {
  const { pooling, normalise, maxTokens, queryPrefix, revision, topLayers } = inputs
  return { pooling, normalise, maxTokens, queryPrefix, revision, topLayers }
}

/** The model that is trained, as sidecars name it. */
export function modelSettings(inputs: TrainingInputs): Readonly<Record<string, unknown>> {
  const { adapter, normalise, model = jobDefaults.model } = inputs
  return adapter === undefined ? { model, ...encoderOptions(inputs) } : { adapter, normalise }
}

/** A model with the weights that training starts from. */
export async function openTrainable(
  inputs: TrainingInputs,
  dimensions: number,
): Promise<QueryModel> {
  const { AdapterModel, openEncoderModel } = await import('@kith/train')
  const { adapter: kind, model = jobDefaults.model, normalise, settings } = inputs
  if (kind === undefined) return openEncoderModel(model, encoderOptions(inputs))
  return new AdapterModel({ kind, dimensions, seed: settings?.seed, normalise })
}
