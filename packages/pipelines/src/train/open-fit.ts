import { availableParallelism } from 'node:os'
import { KithError, type PartialLabelSettings } from '@kith/core'
import type { Embeddings, FileEmbeddings, OpenEmbeddingsOptions } from '@kith/ir'
import type { Metric } from '@kith/stores'
import type { DeviceOptions } from '@kith/train'
import type { RecipeName, TaughtQuery } from '@kith/train/fit'
import type { Hooks } from '../job/hooks.ts'
import type { MissingPolicy, TrainingMissing } from '../join/missing.ts'
import { type HeldOutQueries, holdOutOf, holdOutQueries, type MeasuredBy } from './hold-out.ts'
import {
  embedWith,
  type OpenFor,
  type ReadQueries,
  readQueries,
  teachRead,
} from './open-queries.ts'
import { agreement } from './teach-queries.ts'
import type { TeacherInputs } from './teacher.ts'
import { loadFit, loadTrain } from './training-inputs.ts'
import type { QueryFiles } from './training-queries.ts'

/** The settings of a fit; all are optional. */
export interface FitSettings {
  /** Λ: the weight of the shrinkage to the identity; default: chosen on held-out queries. */
  shrinkage?: number | undefined
  /** Settings of evidence-based labels, made from the judgments. */
  target?: PartialLabelSettings | undefined
  /** The seed for selecting held-out queries. */
  seed?: number | undefined
}

/** The data for fitting a linear adapter. */
export interface FitInputs extends OpenEmbeddingsOptions {
  /** The embeddings of the documents, which stay unchanged. */
  docs: string
  /** The training queries; their file has embeddings. */
  training: QueryFiles
  /** The queries that test the adapter; default: a fifth of the training queries. */
  validation?: QueryFiles | undefined
  /** The fraction of the training queries to hold out; default 0.2; 0: none. */
  holdOut?: number | undefined
  /** A teacher's ranking to learn from, instead of labels or in addition to them. */
  teacher?: TeacherInputs | undefined
  /** The recipe; default: by the judgments and the teacher. */
  recipe?: RecipeName | undefined
  /** The minimum grade of a relevant document; default 1. */
  level?: number | undefined
  settings?: FitSettings | undefined
  /** The device of onnxruntime; default cpu. */
  device?: string | undefined
  /** Number of CPU threads; default: all cores. The result does not depend on it. */
  threads?: number | undefined
  /**
   * The policy for queries and documents without an embedding, a text or labels; default: error.
   */
  missing?: MissingPolicy | undefined
}

/** The queries of a fit, with their judgments and labels. */
export interface OpenFit {
  recipe: RecipeName
  /** The training queries while others are held out, and all training queries for the final fit. */
  learned: readonly TaughtQuery[]
  all: readonly TaughtQuery[]
  heldOut: HeldOutQueries | undefined
  /** The source of relevance for measuring held-out queries. */
  by: MeasuredBy
  inverseTemperature: number
  device: DeviceOptions
  metric: Metric
  missing: TrainingMissing
  files: readonly string[]
}

/**
 * Reads the queries of a fit, computes the teacher's labels if the recipe needs them, and holds out
 * some queries.
 */
export async function openFit(
  inputs: FitInputs,
  docs: FileEmbeddings,
  hooks: Hooks,
): Promise<OpenFit> {
  const { AdapterModel } = await loadTrain()
  const { inverseTemperatureFor, inverseTemperatureOf } = await loadFit()
  const { training, validation, teacher, settings = {}, level, missing } = inputs
  if (!teacher && training.qrels === undefined && training.labels === undefined) {
    throw bad('the training queries have no judgments; pass qrels, labels or a teacher')
  }
  holdOutOf(inputs, true)
  const device = { device: inputs.device, threads: inputs.threads ?? availableParallelism() }
  const { dimensions } = docs
  const given: OpenFor = {
    inputs: { docs: inputs.docs, level, adapter: 'linear', missing, teacher },
    docs,
    embed: embedWith(async () => new AdapterModel({ kind: 'linear', dimensions }), device),
  }
  const read = await readQueries('training queries', training, given, hooks)
  const recipe = await recipeOf(inputs, read, hooks)
  const taught =
    recipe.startsWith('ranking') && (await teachRead(read, teacher!, given, hooks, true))
  const labeled = settings.target ? await evidence(read, settings.target, docs) : read.queries
  const rankings = new Map(taught ? taught.queries.map(({ id, labels }) => [id, labels]) : [])
  const all = labeled.map((query) => ({ ...query, taught: rankings.get(query.id) }))
  const reading = { ...given, metric: read.metric }
  const seen = validation && (await openTest(validation, teacher, reading, hooks))
  const split = seen
    ? { learned: all, heldOut: seen.heldOut }
    : holdOut(all, read, inputs, docs, hooks)
  const last = taught || read
  const vectors = all.map(({ vector }) => ({ vector: vector! }))
  return {
    ...{ recipe, all, ...split, device },
    by: (seen ? validation?.qrels : read.qrels) ? 'judgments' : 'teacher',
    inverseTemperature: inverseTemperatureOf(recipe, inverseTemperatureFor(vectors, docs)),
    metric: read.metric === 'auto' ? 'dot' : read.metric,
    missing: { training: last.missing, validation: seen?.missing ?? [] },
    files: [...new Set([inputs.docs, ...last.files, ...(seen?.files ?? [])])],
  }
}

/** Returns the requested recipe, or the recipe that fits the judgments and the teacher. */
async function recipeOf(
  { recipe, teacher, training, settings }: FitInputs,
  { queries }: ReadQueries,
  { onRemark }: Hooks,
): Promise<RecipeName> {
  const { recipeFor } = await loadFit()
  const soft = training.labels !== undefined || settings?.target !== undefined
  const found = soft ? 'labels' : recipeFor(queries, { teacher: teacher !== undefined })
  const chosen = recipe ?? found
  const labeled = training.qrels !== undefined || training.labels !== undefined
  if (chosen.startsWith('ranking') && !teacher) {
    throw bad(`the recipe ${chosen} learns a ranking; pass a teacher`)
  }
  if (chosen !== 'ranking' && !labeled) {
    throw bad(`the recipe ${chosen} needs judgments or labels; pass qrels or labels`)
  }
  if (teacher && !chosen.startsWith('ranking')) {
    const why = soft ? 'the labels are targets already' : 'queries have several judgments'
    onRemark?.(`not using the teacher: ${why}`)
  }
  return chosen
}

/** Makes evidence-based labels of queries, once, from their original embeddings. */
async function evidence(
  { queries }: ReadQueries,
  target: PartialLabelSettings,
  docs: Embeddings,
): Promise<TaughtQuery[]> {
  const { evidenceLabels } = await loadFit()
  return evidenceLabels(queries, target, docs)
}

/**
 * Opens the queries that test an adapter: by their judgments, or by the teacher's first documents.
 */
async function openTest(
  files: QueryFiles,
  teacher: TeacherInputs | undefined,
  given: OpenFor,
  hooks: Hooks,
): Promise<Pick<ReadQueries, 'missing' | 'files'> & { heldOut: HeldOutQueries }> {
  const read = await readQueries('validation queries', files, given, hooks)
  if (read.qrels) {
    const { queries, qrels } = read
    return { ...read, heldOut: { queries, qrels } }
  }
  if (!teacher) throw bad('the validation queries have no judgments; pass their qrels')
  const taught = await teachRead(read, teacher, given, hooks, true)
  const queries = taught.queries.map(({ labels, ...query }) => ({ ...query, taught: labels }))
  return { ...taught, heldOut: { queries, qrels: agreement(taught.queries, given.docs) } }
}

/** Holds out a fraction of the queries, unless other queries test the adapter. */
function holdOut(
  all: readonly TaughtQuery[],
  { qrels }: ReadQueries,
  inputs: FitInputs,
  docs: Embeddings,
  hooks: Hooks,
): { learned: readonly TaughtQuery[]; heldOut: HeldOutQueries | undefined } {
  const part = holdOutOf(inputs, true)
  if (part === 0) return { learned: all, heldOut: undefined }
  const taught = all.map(({ id, taught }) => ({ id, labels: taught }))
  const truth = qrels ?? agreement(taught, docs)
  const testable = all.filter(({ id }) => truth.has(id))
  const { seed } = inputs.settings ?? {}
  const use = () => ' to test the adapter; the saved adapter learns from all queries'
  const by = qrels ? 'judgments' : 'teacher'
  return holdOutQueries(testable, truth, { part, by, seed }, hooks, use)
}

function bad(problem: string): KithError {
  return new KithError('BAD_SETTING', problem)
}
