import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { KithError, type Settings } from '@kith/core'
import { type Embeddings, openEmbeddings } from '@kith/ir'
import { embeddingFiles } from '@kith/ir/internal'
import type { PartialTrainSettings, QueryModel, Relabel, TrainingQuery } from '@kith/train'
import { trainDefaults } from '@kith/train/internal'
import type { Hooks } from '../job/hooks.ts'
import { jobDefaults } from '../job/job-defaults.ts'
import type { TrainingMissing } from '../join/missing.ts'
import {
  type HeldOutQueries,
  holdOutOf,
  holdOutQueries,
  type MeasuredBy,
  splitHeldOut,
  useOfHeldOut,
} from './hold-out.ts'
import {
  embedWith,
  type OpenFor,
  type OpenQueries,
  readQueries,
  teachRead,
} from './open-queries.ts'
import { agreeing, agreement } from './teach-queries.ts'
import {
  checkTraining,
  loadFit,
  loadTrain,
  openTrainable,
  stepsFor,
  type TrainingInputs,
} from './training-inputs.ts'
import { outsideRemark, type QueryFiles, treatOutside } from './training-queries.ts'

/** The opened inputs of a training. */
export interface TrainingSetup {
  docs: Embeddings
  /** The size and modification time of the embeddings' files, for detecting changed files. */
  docsVersion: string
  queries: readonly TrainingQuery[]
  /** The queries that choose the checkpoint: the given queries, or some of the training queries. */
  validation: readonly TrainingQuery[] | undefined
  /** The source of relevance for validation and testing. */
  by: MeasuredBy
  /**
   * The queries that are used neither for training nor for validation, if no validation queries
   * were given.
   */
  heldOut: HeldOutQueries | undefined
  /** Makes labels for new candidates, if a teacher can. */
  relabel: Relabel | undefined
  settings: PartialTrainSettings & { steps: number }
  /** The metric of the training run; `auto` if the documents do not differ in length. */
  metric: Settings['metric']
  device: { device: string | undefined; threads: number }
  missing: TrainingMissing
  /** The files that were read. */
  files: readonly string[]
  /** Opens the model with its initial weights. */
  openModel(): Promise<QueryModel>
  close(): Promise<void>
  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Opens the inputs of a training. */
export async function openTraining(inputs: TrainingInputs, hooks: Hooks): Promise<TrainingSetup> {
  checkTraining(inputs)
  holdOutOf(inputs)
  // Reports a missing package at once, not after computing a teacher's labels.
  await loadTrain()
  const { dimensions, memory, validation } = inputs
  const docs = await openEmbeddings(inputs.docs, { dimensions, memory })
  try {
    const device = { device: inputs.device, threads: inputs.threads ?? availableParallelism() }
    const openModel = () => openTrainable(inputs, docs.dimensions)
    const given = { inputs, docs, embed: embedWith(openModel, device) }
    const learned = await openTrainingQueries(given, hooks)
    const { metric } = learned
    const inverseTemperature =
      inputs.settings?.inverseTemperature ?? (await fittingTemperature(learned.queries, given))
    const validated =
      validation && (await openValidationQueries({ ...given, metric }, validation, hooks))
    const settings = stepsFor(inputs, learned.queries.length, learned.choosing !== undefined)
    return {
      docs,
      docsVersion: await versionOf(inputs.docs),
      queries: learned.queries,
      relabel: learned.relabel,
      validation: validated?.queries ?? learned.choosing,
      by: (validation ?? inputs.training).qrels === undefined ? 'teacher' : 'judgments',
      heldOut: learned.heldOut,
      settings: { ...settings, inverseTemperature },
      metric,
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

/** Returns the inverse temperature that fits the scale of the scores before training. */
async function fittingTemperature(
  queries: readonly TrainingQuery[],
  { docs, embed }: OpenFor,
): Promise<number> {
  const { inverseTemperatureFor } = await loadFit()
  const { data, dimensions } = await embed(queries.slice(0, SCALE_QUERIES))
  // The training itself rejects a model of other dimensions, with the reason.
  if (dimensions !== docs.dimensions) return trainDefaults.inverseTemperature
  const rows = Array.from({ length: data.length / dimensions }, (_, row) => {
    return { vector: data.subarray(row * dimensions, (row + 1) * dimensions) }
  })
  return inverseTemperatureFor(rows, docs, { unit: false })
}

/** Returns the size and modification time of the files of embeddings. */
async function versionOf(file: string): Promise<string> {
  const files = await Promise.all(embeddingFiles(file).map((part) => stat(part)))
  return files.map(({ size, mtime }) => `${size} bytes of ${mtime.toISOString()}`).join(', ')
}

/** Number of queries for measuring the scale of scores. */
const SCALE_QUERIES = 200

/** Shorter lists hold only the hardest candidates. */
const SHORT = 50

/** The training queries, and the held-out queries. */
interface OpenTrainingQueries extends OpenQueries, HeldOutSplit {}

/** The queries that choose the checkpoint, and the queries that test it, if any are held out. */
interface HeldOutSplit {
  choosing?: readonly TrainingQuery[] | undefined
  heldOut?: HeldOutQueries | undefined
}

/** Opens the training queries: judged, labeled earlier, or labeled by a teacher. */
async function openTrainingQueries(
  given: OpenFor & { inputs: TrainingInputs },
  hooks: Hooks,
): Promise<OpenTrainingQueries> {
  const { inputs } = given
  const { outside = jobDefaults.outside, settings } = inputs
  const { listSize = trainDefaults.listSize } = settings ?? {}
  const read = await readOrTaught('training queries', inputs.training, given, hooks)
  const { learned, ...heldOut } = split(read, given, hooks)
  const { queries, counts } = treatOutside(learned, outside, listSize)
  const remark = outsideRemark(counts, outside)
  if (queries.length === 0) {
    throw new KithError('BAD_INPUT', `training queries of ${inputs.training.run}: ${remark}`)
  }
  if (remark !== undefined) hooks.onRemark?.(remark)
  if (!inputs.teacher) remarkShortLists(queries, settings, hooks)
  return { ...read, queries, ...heldOut }
}

/** Splits queries into training queries and held-out queries, if any. */
function split(
  { queries, qrels }: OpenQueries,
  { inputs, docs }: OpenFor & { inputs: TrainingInputs },
  hooks: Hooks,
): HeldOutSplit & { learned: readonly TrainingQuery[] } {
  const part = holdOutOf(inputs)
  if (part === 0) return { learned: queries }
  const by = qrels ? 'judgments' : 'teacher'
  const seed = inputs.settings?.seed
  const truth = qrels ?? agreement(queries, docs)
  const held = holdOutQueries(queries, truth, { part, by, seed }, hooks, useOfHeldOut)
  if (!held.heldOut) return { learned: held.learned }
  const { choosing, testing } = splitHeldOut(held.heldOut, seed)
  const validation = qrels || !choosing ? choosing : agreeing(choosing)
  return { learned: held.learned, choosing: validation, heldOut: testing }
}

/** Reports if all negatives of most queries are their hardest negatives. */
function remarkShortLists(
  queries: readonly TrainingQuery[],
  { listSize = trainDefaults.listSize, skip = 0, negativesBelow = null }: PartialTrainSettings = {},
  { onRemark }: Hooks,
): void {
  if (skip > 0 || negativesBelow !== null) return
  const short = queries.filter(({ retrieved }) => Math.min(retrieved.length, listSize) < SHORT)
  if (short.length <= queries.length / 2) return
  onRemark?.(
    `${short.length} of ${queries.length} training queries have fewer than ${SHORT} candidates; the first candidates include unlabeled relevant documents, and training on them as negatives can make the model worse. Use longer lists (listSize, and a longer run), or leave out doubtful candidates (skip, negativesBelow)`,
  )
}

/** Opens the validation queries; without judgments, they measure the agreement with the teacher. */
async function openValidationQueries(
  given: OpenFor,
  files: QueryFiles,
  hooks: Hooks,
): Promise<OpenQueries> {
  const read = await readOrTaught('validation queries', files, given, hooks)
  return files.qrels === undefined ? { ...read, queries: agreeing(read.queries) } : read
}

/** Reads queries with their judgments, or with a teacher's labels if they have none. */
async function readOrTaught(
  kind: string,
  files: QueryFiles,
  given: OpenFor,
  hooks: Hooks,
): Promise<OpenQueries> {
  const read = await readQueries(kind, files, given, hooks)
  const { teacher } = given.inputs
  return teacher && files.qrels === undefined ? teachRead(read, teacher, given, hooks) : read
}
