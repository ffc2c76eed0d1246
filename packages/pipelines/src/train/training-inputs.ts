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

/** The settings of a training; its length is in steps, or in epochs. */
export interface TrainingSettings extends PartialTrainSettings {
  /** Number of epochs, instead of `steps`; default 4 for an encoder, 20 for an adapter. */
  epochs?: number | undefined
}

/** The model, the data and the settings of a training. */
export interface TrainingInputs extends OpenEmbeddingsOptions, EncoderModelOptions {
  /** The embeddings of the documents, which stay unchanged. */
  docs: string
  /** The training queries. */
  training: QueryFiles
  /** The queries that choose the checkpoint; default: half of the held-out training queries. */
  validation?: QueryFiles | undefined
  /**
   * The fraction of the judged or taught training queries to hold out: one half chooses the
   * checkpoint, the other half compares the model before and after. Default 0.2; with validation
   * queries, or without judgments and teacher, 0 (train on all).
   */
  holdOut?: number | undefined
  /** The minimum grade of a relevant document; default 1. */
  level?: number | undefined
  /** The encoder to train: `minilm`, a folder, or a name on the hub; default minilm. */
  model?: string | undefined
  /**
   * The kind of an adapter to train instead: then the queries' files are embeddings, which it maps.
   */
  adapter?: AdapterKind | undefined
  settings?: TrainingSettings | undefined
  /** The teacher of a training without judgments: the model learns its ranking. */
  teacher?: TeacherInputs | undefined
  /** The policy for labeled documents that are not among a query's candidates; default: drop. */
  outside?: OutsidePolicy | undefined
  /** The device of onnxruntime; default cpu. */
  device?: string | undefined
  /** Number of CPU threads; default: all cores. */
  threads?: number | undefined
  /**
   * The policy for queries and documents without an embedding, a text or labels; default: error.
   */
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

/** Throws if a training has a teacher and another source of targets. */
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

/** The default settings of each kind of model, chosen in the studies of docs/results.md. */
const usual = {
  encoder: { epochs: 4, learningRate: 3e-5 },
  adapter: { epochs: 20, learningRate: 1e-3 },
}

/** Minimum patience of early stopping on held-out training queries. */
const LEAST_PATIENCE = 3

/**
 * Completes the settings with the number of steps for a number of queries and the defaults of the
 * kind of model; by default, each epoch ends with a validation.
 *
 * @param heldOut Whether held-out training queries choose the checkpoint: then a quarter of the
 * validations without improvement ends the training.
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

/** Returns the options of the encoder to train. */
function encoderOptions(inputs: TrainingInputs): EncoderModelOptions {
  const { pooling, normalize, maxTokens, queryPrefix, revision, topLayers } = inputs
  return { pooling, normalize, maxTokens, queryPrefix, revision, topLayers }
}

/** Returns the trained model and its teacher, for sidecars. */
export function modelSettings(inputs: TrainingInputs): Readonly<Record<string, unknown>> {
  const { adapter, normalize, model = jobDefaults.model, teacher } = inputs
  const { outside = jobDefaults.outside } = inputs
  const learning =
    adapter === undefined ? { model, ...encoderOptions(inputs) } : { adapter, normalize }
  return { ...learning, outside, teacher }
}

/** Opens a trained model in a folder. */
export async function openTrained(inputs: TrainingInputs, folder: string): Promise<QueryModel> {
  const { openAdapter, openEncoderModel } = await loadTrain()
  if (inputs.adapter !== undefined) return openAdapter(folder)
  const { revision: _, ...options } = encoderOptions(inputs)
  return openEncoderModel(folder, options)
}

/** Opens a model with its initial weights. */
export async function openTrainable(
  inputs: TrainingInputs,
  dimensions: number,
): Promise<QueryModel> {
  const { AdapterModel, openEncoderModel } = await loadTrain()
  const { adapter: kind, model = jobDefaults.model, normalize, settings } = inputs
  if (kind === undefined) return openEncoderModel(model, encoderOptions(inputs))
  return new AdapterModel({ kind, dimensions, seed: settings?.seed, normalize })
}

/** Loads the code for fitting a linear adapter. */
export function loadFit(): Promise<typeof import('@kith/train/fit')> {
  return optionalPackage(
    'training and adapters need',
    '@kith/encoder',
    () => import('@kith/train/fit'),
  )
}

/** Loads the code for training. Other jobs neither load the runtime nor need it installed. */
export function loadTrain(): Promise<typeof import('@kith/train')> {
  return optionalPackage('training and adapters need', '@kith/encoder', () => import('@kith/train'))
}
