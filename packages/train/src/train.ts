import { join } from 'node:path'
import { type FileLock, lockFile } from '@kith/base'
import { KithError, type Matrix } from '@kith/core'
import { refuseIdle } from '@kith/core/internal'
import { searchExact } from '@kith/stores'
import { Examples, type Relabel, type Search, seenQueries } from './data/examples.ts'
import { NegativeFilter } from './data/negatives.ts'
import { FixedLabels, type Labeler, LiveLabels } from './data/targets.ts'
import type { DocumentVectors, TrainingQuery } from './data/training-query.ts'
import type { DeviceOptions } from './graph/session.ts'
import { QueryEncoder } from './models/query-encoder.ts'
import type { QueryModel, SplitHooks } from './models/query-model.ts'
import { Optimizer, updateRules } from './optimizer/optimizer.ts'
import { Schedule } from './optimizer/schedule.ts'
import { hasCheckpoint, lowerLayersFile } from './run/checkpoint.ts'
import { trainingIdentity } from './run/identity.ts'
import { type TrainingHooks, type TrainingResult, TrainingRun } from './run/training-run.ts'
import { TrainingStep } from './run/training-step.ts'
import { criterion } from './run/validate.ts'
import {
  type PartialTrainSettings,
  resolveTrainSettings,
  type TrainSettings,
  trainTable,
} from './settings.ts'

/** The model, the data and the output folder of a training. */
export interface TrainingJob extends DeviceOptions, TrainingHooks, SplitHooks {
  /** The model with its initial weights, also when the training is resumed. */
  model: QueryModel
  documents: DocumentVectors
  /**
   * A version of the documents' file, such as its size and modification time. If there are too many
   * documents to read for comparison, the version decides whether a training may be resumed.
   */
  documentsVersion?: string | undefined
  queries: readonly TrainingQuery[]
  /** Held-out queries. Without them there is no validation, and the last weights are the result. */
  validation?: readonly TrainingQuery[] | undefined
  settings: PartialTrainSettings
  /** The folder for the result, the checkpoints and `metrics.jsonl`. */
  out: string
  /** Resumes from the folder's latest checkpoint, if there is one. */
  resume?: boolean | undefined
  /** Computes the targets; default: the labeler that the settings select. */
  labeler?: Labeler | undefined
  /** Finds new candidates for query embeddings; default: exact search over the documents. */
  search?: Search | undefined
  /**
   * Computes new labels for a query when its candidates change; default: queries keep their labels.
   */
  relabel?: Relabel | undefined
}

/**
 * Fine-tunes a query model on fixed document embeddings (docs/method.md section 7), and writes the
 * best weights to a folder.
 *
 * ```ts
 * await train({ model: await openAdapter('trained'), documents, queries: judged, settings: { steps:
 * 100 }, out: 'better' })
 * ```
 */
export async function train(job: TrainingJob): Promise<TrainingResult> {
  const settings = resolveTrainSettings(job.settings)
  check(job)
  const validation = job.validation?.length ?? 0
  refuseIdle(job.settings, { ...settings, validation }, { texts: false }, trainTable)
  criterion(settings.selectBy)
  const lock = lockFile(join(job.out, 'training'))
  try {
    return await trainInFolder(job, settings, lock)
  } finally {
    await lock.close()
  }
}

/** Trains in a folder that no other training is writing to. */
async function trainInFolder(
  job: TrainingJob,
  settings: TrainSettings,
  lock: FileLock,
): Promise<TrainingResult> {
  const { documents, out, resume = false } = job
  if (!resume && hasCheckpoint(out)) {
    const problem = `${out} already contains a training; resume it, or choose another folder`
    throw new KithError('BAD_INPUT', problem)
  }
  const labeler =
    job.labeler ??
    (settings.target
      ? new LiveLabels(settings.target, settings.listSize, documents)
      : new FixedLabels(settings.listSize))
  const search: Search =
    job.search ?? ((queries) => searchAll(queries, documents, settings.listSize))
  const identity = trainingIdentity(job, settings)
  const encoded = [...seenQueries(job.queries, settings), ...(job.validation ?? [])]
  const split = job.model.split?.(lowerLayersFile(out), encoded, job)
  const model = split ?? job.model
  const step = await TrainingStep.open(model, { ...job, ...settings })
  const encoder = await QueryEncoder.open(model, job)
  try {
    const run = new TrainingRun({
      ...job,
      model,
      settings,
      lock,
      identity,
      examples: new Examples({
        queries: job.queries,
        encoder,
        labeler,
        search,
        negatives: new NegativeFilter(documents, settings),
        relabel: job.relabel,
        batchSize: settings.batchSize,
        seed: settings.seed,
      }),
      step,
      encoder,
      optimizer: new Optimizer(step.weights, updateRules[settings.optimizer], settings),
      schedule: new Schedule(settings),
    })
    const result = await run.run(resume && hasCheckpoint(out))
    if (result.ended !== 'stopped') await split?.remove()
    return result
  } finally {
    await split?.close()
    await step.close()
    await encoder.close()
  }
}

async function searchAll(
  queries: Matrix,
  documents: DocumentVectors,
  top: number,
): Promise<Uint32Array[]> {
  const { rows, perQuery } = await searchExact(queries, documents, { top })
  return Array.from({ length: queries.rows }, (_, q) =>
    rows.slice(q * perQuery, (q + 1) * perQuery),
  )
}

function check({ model, documents, queries, validation = [] }: TrainingJob): void {
  if (queries.length === 0) throw new KithError('BAD_INPUT', 'no queries to train on')
  if (model.dimensions !== documents.dimensions) {
    const problem = `the model has ${model.dimensions} dimensions, but the documents have ${documents.dimensions}`
    throw new KithError('BAD_SHAPE', problem)
  }
  for (const query of [...queries, ...validation]) checkQuery(query, documents.rows)
  for (const { id, relevant } of validation) {
    if (relevant.length > 0) continue
    const problem = `validation query ${id} has no relevant document; leave it out`
    throw new KithError('BAD_INPUT', problem)
  }
}

function checkQuery({ id, relevant, retrieved, labels }: TrainingQuery, documents: number): void {
  const fail = (problem: string) => new KithError('BAD_INPUT', `query ${id} ${problem}`)
  const { rows = [], values = [] } = labels ?? {}
  for (const list of [relevant, retrieved, rows]) {
    for (let i = 0; i < list.length; i++) {
      const row = list[i]!
      if (Number.isInteger(row) && row >= 0 && row < documents) continue
      throw fail(`names document row ${row}, but there are only ${documents} documents`)
    }
  }
  if (relevant.length === 0 && !labels) throw fail('has no relevant document; leave it out')
  for (const list of [relevant, rows]) {
    if (new Set(list).size < list.length) throw fail('names a document twice')
  }
  const probabilities = Array.from(values)
  const sum = probabilities.reduce((total, value) => total + value, 0)
  const fits = rows.length === probabilities.length && probabilities.every((value) => value >= 0)
  if (labels && !(fits && sum > 0 && sum < Infinity)) {
    throw fail('must have one label per document, at least 0, with a sum above 0')
  }
}
