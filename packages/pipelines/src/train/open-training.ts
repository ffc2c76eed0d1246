import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { type Embeddings, openEmbeddings } from '@kith/ir'
import { embeddingFiles } from '@kith/ir/internal'
import type { PartialTrainSettings, QueryModel, Relabel, TrainingQuery } from '@kith/train'
import { type LearnedQueries, learnedQueries } from '../files/learned-queries.ts'
import type { Hooks } from '../job/hooks.ts'
import type { Missing } from '../join/missing.ts'
import { type HeldOutQueries, holdOutOf } from './hold-out.ts'
import { openTrainingQueries, openValidationQueries } from './open-queries.ts'
import {
  checkTraining,
  loadTrain,
  openTrainable,
  stepsFor,
  type TrainingInputs,
} from './training-inputs.ts'

/** Ids that lacked something and were left out, of the training queries and of the validation queries. */
export interface TrainingMissing {
  training: readonly Missing[]
  validation: readonly Missing[]
}

/** The missing ids; undefined where there are none, so that sidecars and printed results leave the entry out. */
export function someMissing(missing: TrainingMissing): TrainingMissing | undefined {
  return missing.training.length + missing.validation.length > 0 ? missing : undefined
}

/** All that a training takes, opened. */
export interface TrainingSetup {
  docs: Embeddings
  /** Size and modification time of the embeddings' files, which tell changed files from those of an earlier call. */
  docsVersion: string
  queries: readonly TrainingQuery[]
  validation: readonly TrainingQuery[] | undefined
  /** Judged queries that the training does not learn from, where there is no validation. */
  heldOut: HeldOutQueries | undefined
  /** Makes labels for other candidates, where a teacher does. */
  relabel: Relabel | undefined
  settings: PartialTrainSettings & { steps: number }
  device: { device: string | undefined; threads: number }
  missing: TrainingMissing
  /** The files that were read. */
  files: readonly string[]
  /** A model with the weights that training starts from. */
  openModel(): Promise<QueryModel>
  close(): Promise<void>
  /** As `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Opens the inputs of a training. */
export async function openTraining(inputs: TrainingInputs, hooks: Hooks): Promise<TrainingSetup> {
  checkTraining(inputs)
  holdOutOf(inputs)
  // Says at once what is not installed, not after a teacher's labels are made.
  await loadTrain()
  const { dimensions, memory, validation } = inputs
  const docs = await openEmbeddings(inputs.docs, { dimensions, memory })
  try {
    const device = { device: inputs.device, threads: inputs.threads ?? availableParallelism() }
    const openModel = () => openTrainable(inputs, docs.dimensions)
    const embed = async (queries: readonly TrainingQuery[]) => {
      const { QueryEncoder } = await loadTrain()
      const encoder = await QueryEncoder.open(await openModel(), device)
      try {
        return await encoder.encode(queries)
      } finally {
        await encoder.close()
      }
    }
    const given = { inputs, docs, embed }
    const learned = await openTrainingQueries(given, hooks)
    const validated = validation && (await openValidationQueries(given, validation, hooks))
    return {
      docs,
      docsVersion: await versionOf(inputs.docs),
      queries: learned.queries,
      relabel: learned.relabel,
      validation: validated?.queries,
      heldOut: learned.heldOut,
      settings: stepsFor(inputs.settings ?? {}, learned.queries.length),
      device,
      missing: { training: learned.missing, validation: validated?.missing ?? [] },
      files: [...new Set([inputs.docs, ...learned.files, ...(validated?.files ?? [])])],
      openModel,
      close: () => docs.close(),
      [Symbol.asyncDispose]: () => docs.close(),
    }
  } catch (error) {
    await docs.close()
    throw error
  }
}

/** Size and modification time of the files of embeddings. */
async function versionOf(file: string): Promise<string> {
  const files = await Promise.all(embeddingFiles(file).map((part) => stat(part)))
  return files.map(({ size, mtime }) => `${size} bytes of ${mtime.toISOString()}`).join(', ')
}

/**
 * The queries whose judgments, or labels made of them, a model was trained or chosen by. Queries
 * that only a teacher's ranking was learned for are not among them.
 */
export async function learnedBy(
  { queries, validation = [], docs }: Pick<TrainingSetup, 'queries' | 'validation' | 'docs'>,
  inputs: Pick<TrainingInputs, 'training' | 'validation' | 'teacher'>,
  what: string,
): Promise<LearnedQueries[]> {
  const { qrels, labels = qrels } = inputs.training
  const chosen = inputs.validation?.qrels
  const learned: LearnedQueries[] = []
  const named = (list: TrainingSetup['queries']) =>
    list.map(({ id, relevant }) => ({ id, relevant: relevant.map((row) => docs.idOf(row)) }))
  if (labels !== undefined) {
    learned.push(await learnedQueries('train', what, qrels ?? labels, named(queries)))
  }
  if (chosen !== undefined) {
    const how = 'choose the checkpoint of'
    learned.push(await learnedQueries(how, what, chosen, named(validation)))
  }
  return learned
}

/** How many queries of a training are longer than its model takes. */
export interface CutQueries {
  training: number
  validation: number
}

/** Counts the queries that training will cut, with a remark where there are some. */
export function remarkCutQueries(
  model: QueryModel,
  queries: readonly TrainingQuery[],
  validation: readonly TrainingQuery[],
  hooks: Hooks,
): CutQueries {
  const cut = { training: model.countCut(queries), validation: model.countCut(validation) }
  const parts = [
    [cut.training, queries.length, 'training'] as const,
    [cut.validation, validation.length, 'validation'] as const,
  ].flatMap(([count, all, kind]) => (count > 0 ? [`${count} of ${all} ${kind} queries`] : []))
  if (parts.length > 0) {
    const limit = `${model.maxTokens} tokens (maxTokens)`
    hooks.onRemark?.(`${parts.join(' and ')} are longer than ${limit}: what is beyond is cut off`)
  }
  return cut
}
