import { optionalPackage } from '@kith/base'
import { KithError } from '@kith/core'
import type { OpenEmbeddingsOptions } from '@kith/ir'
import type {
  AdapterKind,
  EncoderModelOptions,
  PartialTrainSettings,
  QueryModel,
} from '@kith/train'
import { lossNamed, lossNames, trainDefaults } from '@kith/train/internal'
import { jobDefaults, type OutsidePolicy } from '../job/job-defaults.ts'
import type { MissingPolicy } from '../join/missing.ts'
import type { TeacherInputs } from './teacher.ts'
import type { QueryFiles } from './training-queries.ts'

/** The settings of a training; its length is counted in steps, or in epochs. */
export interface TrainingSettings extends PartialTrainSettings {
  /** Times that each query is seen, instead of `steps`; default 4 for an encoder, 20 for an adapter. */
  epochs?: number | undefined
}

/** The model, the data and the settings of a training. */
export interface TrainingInputs extends OpenEmbeddingsOptions, EncoderModelOptions {
  /** Embeddings of the documents, which stay unchanged. */
  docs: string
  /** The queries that are learned from. */
  training: QueryFiles
  /** Queries that choose the checkpoint; without them, half of the held-out training queries does. */
  validation?: QueryFiles | undefined
  /**
   * The part of the judged or taught training queries that is held out: one half chooses the
   * checkpoint, the other half compares the model before and after; default 0.2, and 0 (train on
   * all) with validation queries, or without judgments and teacher.
   */
  holdOut?: number | undefined
  /** From which grade on a document is relevant; default 1. */
  level?: number | undefined
  /** The encoder that learns: `minilm`, a folder, or a name on the hub; default minilm. */
  model?: string | undefined
  /** An adapter that learns instead: the queries' files are embeddings then, which it changes. */
  adapter?: AdapterKind | undefined
  settings?: TrainingSettings | undefined
  /** The teacher of a training without judgments: queries learn its ranking. */
  teacher?: TeacherInputs | undefined
  /** The policy for labeled documents that are not among a query's candidates; default: drop. */
  outside?: OutsidePolicy | undefined
  /** The device that onnxruntime computes on; default cpu. */
  device?: string | undefined
  /** Threads of the CPU; default: all. */
  threads?: number | undefined
  /** The policy for queries and documents that lack an embedding, a text or labels; default: error. */
  missing?: MissingPolicy | undefined
}

/** Throws if inputs contradict each other. */
export function checkTraining({
  adapter,
  topLayers,
  training,
  validation,
  teacher,
  settings = {},
}: TrainingInputs): void {
  const fail = (problem: string) => new KithError('BAD_SETTING', problem)
  if (adapter === 'linear')
    throw fail('a linear adapter is not trained by steps; use fitAdapterFiles')
  if (adapter !== undefined && topLayers !== undefined) {
    throw fail('an adapter has no layers; leave out topLayers')
  }
  if (training.labels !== undefined && settings.target) {
    throw fail('setting target has no effect with labels, which are targets; leave it out')
  }
  if (teacher) checkTeacher({ training, settings })
  else if (training.qrels === undefined && training.labels === undefined) {
    throw fail('the training queries have no judgments; pass qrels, labels or a teacher')
  } else if (validation && validation.qrels === undefined) {
    throw fail('the validation queries have no judgments; pass their qrels')
  }
  if (settings.steps !== undefined && settings.epochs !== undefined) {
    throw fail('steps and epochs cannot be combined; set one of them')
  }
}

/** Throws if a training has a teacher and something else that makes its targets. */
function checkTeacher({ training, settings }: Pick<TrainingInputs, 'training' | 'settings'>): void {
  const { target, skip = 0, negativesBelow = null, loss = trainDefaults.loss } = settings ?? {}
  const others = {
    judgments: training.qrels !== undefined,
    labels: training.labels !== undefined,
    target: Boolean(target),
    skip: skip > 0,
    negativesBelow: negativesBelow !== null,
  }
  const [other] = Object.entries(others).find(([, given]) => given) ?? []
  if (other !== undefined) {
    throw new KithError(
      'BAD_SETTING',
      `${other} cannot be combined with a teacher, which sets the target of every candidate; leave out ${other}`,
    )
  }
  if (!lossNamed(loss).softTargets) {
    const able = lossNames.filter((name) => lossNamed(name).softTargets).join(' or ')
    throw new KithError('BAD_SETTING', `setting loss must be ${able} with a teacher, got ${loss}`)
  }
}

/** The settings that the studies found for each kind of model (docs/results.md). */
const usual = {
  encoder: { epochs: 4, learningRate: 3e-5 },
  adapter: { epochs: 20, learningRate: 1e-3 },
}

/** The fewest validations without a better one that end a training on held-out training queries. */
const LEAST_PATIENCE = 3

/**
 * The settings with the number of steps for some queries, completed by the defaults of the
 * kind of model; each epoch is validated by default.
 *
 * @param heldOut Whether held-out training queries choose the checkpoint: then a quarter of the
 * validations without a better one ends the training.
 */
export function stepsFor(
  { settings: given = {}, adapter }: Pick<TrainingInputs, 'settings' | 'adapter'>,
  queries: number,
  heldOut = false,
): PartialTrainSettings & { steps: number } {
  const kind = usual[adapter === undefined ? 'encoder' : 'adapter']
  const { epochs = kind.epochs, learningRate = kind.learningRate, ...settings } = given
  const {
    batchSize = trainDefaults.batchSize,
    gradientAccumulation = trainDefaults.gradientAccumulation,
  } = settings
  const epoch = Math.max(1, Math.ceil(queries / (batchSize * gradientAccumulation)))
  const { steps = epochs * epoch, validateEvery = epoch } = settings
  const patience = Math.max(LEAST_PATIENCE, Math.ceil(steps / validateEvery / 4))
  return {
    ...(heldOut && { earlyStoppingPatience: patience }),
    ...settings,
    learningRate,
    steps,
    batchSize,
    gradientAccumulation,
    validateEvery,
  }
}

/** The options of the encoder that learns. */
function encoderOptions(inputs: TrainingInputs): EncoderModelOptions {
  const { pooling, normalize, maxTokens, queryPrefix, revision, topLayers } = inputs
  return { pooling, normalize, maxTokens, queryPrefix, revision, topLayers }
}

/** The model that is trained, and whom it learns from, as sidecars name them. */
export function modelSettings(inputs: TrainingInputs): Readonly<Record<string, unknown>> {
  const { adapter, normalize, model = jobDefaults.model, teacher } = inputs
  const { outside = jobDefaults.outside } = inputs
  const learning =
    adapter === undefined ? { model, ...encoderOptions(inputs) } : { adapter, normalize }
  return { ...learning, outside, teacher }
}

/** A model as a training has left it in a folder. */
export async function openTrained(inputs: TrainingInputs, folder: string): Promise<QueryModel> {
  const { openAdapter, openEncoderModel } = await loadTrain()
  if (inputs.adapter !== undefined) return openAdapter(folder)
  const { revision: _, ...options } = encoderOptions(inputs)
  return openEncoderModel(folder, options)
}

/** A model with the weights that training starts from. */
export async function openTrainable(
  inputs: TrainingInputs,
  dimensions: number,
): Promise<QueryModel> {
  const { AdapterModel, openEncoderModel } = await loadTrain()
  const { adapter: kind, model = jobDefaults.model, normalize, settings } = inputs
  if (kind === undefined) return openEncoderModel(model, encoderOptions(inputs))
  return new AdapterModel({ kind, dimensions, seed: settings?.seed, normalize })
}

/** Loads what fits a linear adapter. */
export function loadFit(): Promise<typeof import('@kith/train/fit')> {
  return optionalPackage(
    'training and adapters need',
    '@kith/encoder',
    () => import('@kith/train/fit'),
  )
}

/** Loads what trains and adapts. Other jobs need not wait for the runtime, nor have it installed. */
export function loadTrain(): Promise<typeof import('@kith/train')> {
  return optionalPackage('training and adapters need', '@kith/encoder', () => import('@kith/train'))
}
