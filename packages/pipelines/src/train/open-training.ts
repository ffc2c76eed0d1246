import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { type Embeddings, openEmbeddings } from '@kith/ir'
import { embeddingFiles } from '@kith/ir/internal'
import type { PartialTrainSettings, QueryModel, TrainingQuery } from '@kith/train'
import type { Hooks } from '../hooks.ts'
import { jobDefaults } from '../job-defaults.ts'
import type { Missing } from '../join/missing.ts'
import { type QueryFiles, readTrainingQueries } from './read-training-queries.ts'
import { checkTraining, openTrainable, stepsFor, type TrainingInputs } from './training-inputs.ts'

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
  const { dimensions, memory, training, validation } = inputs
  const docs = await openEmbeddings(inputs.docs, { dimensions, memory })
  try {
    const learned = await readQueries('training queries', training, inputs, docs, hooks)
    const heldOut =
      validation && (await readQueries('validation queries', validation, inputs, docs, hooks))
    const read = [inputs.docs, ...filesOf(training), ...filesOf(validation)]
    return {
      docs,
      docsVersion: await versionOf(inputs.docs),
      queries: learned.queries,
      validation: heldOut?.queries,
      settings: stepsFor(inputs.settings ?? {}, learned.queries.length),
      device: { device: inputs.device, threads: inputs.threads ?? availableParallelism() },
      missing: { training: learned.missing, validation: heldOut?.missing ?? [] },
      files: read,
      openModel: () => openTrainable(inputs, docs.dimensions),
      close: () => docs.close(),
      [Symbol.asyncDispose]: () => docs.close(),
    }
  } catch (error) {
    await docs.close()
    throw error
  }
}

async function readQueries(
  name: string,
  files: QueryFiles,
  { level = jobDefaults.level, adapter, missing = jobDefaults.missing }: TrainingInputs,
  docs: Embeddings,
  { onRemark }: Hooks,
): Promise<{ queries: TrainingQuery[]; missing: Missing[] }> {
  const named = `${name} of ${files.run}`
  const reading = { docs, level, vectors: adapter !== undefined, missing, name: named }
  const { queries, withoutTruth, report } = await readTrainingQueries(files, reading)
  for (const remark of report.remarks()) onRemark?.(`${named}: ${remark}`)
  if (withoutTruth > 0)
    onRemark?.(`${withoutTruth} queries of ${files.run} have no relevant document`)
  return { queries, missing: report.list() }
}

/** The files of queries, in the order in which sidecars name them. */
function filesOf(files: QueryFiles | undefined): string[] {
  if (!files) return []
  const { queries, run, qrels, labels } = files
  return [queries, run, qrels, labels].filter((file) => file !== undefined)
}

/** Size and modification time of the files of embeddings. */
async function versionOf(file: string): Promise<string> {
  const files = await Promise.all(embeddingFiles(file).map((part) => stat(part)))
  return files.map(({ size, mtime }) => `${size} bytes of ${mtime.toISOString()}`).join(', ')
}
