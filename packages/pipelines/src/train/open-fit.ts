import { availableParallelism } from 'node:os'
import { KithError, type PartialLabelSettings } from '@kith/core'
import type { Embeddings, OpenEmbeddingsOptions } from '@kith/ir'
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

/** The settings of a fit; none is needed. */
export interface FitSettings {
  /** Λ: how strongly the adapter is held at the identity; default: chosen on held-out queries. */
  shrinkage?: number | undefined
  /** Evidence-based labels, made of the judgments. */
  target?: PartialLabelSettings | undefined
  /** Decides which queries are held out. */
  seed?: number | undefined
}

/** The data that a linear adapter is fitted to. */
export interface FitInputs extends OpenEmbeddingsOptions {
  /** Embeddings of the documents, which stay unchanged. */
  docs: string
  /** The queries that are learned from; their file has embeddings. */
  training: QueryFiles
  /** Queries that test the adapter; default: a fifth of the training queries. */
  validation?: QueryFiles | undefined
  /** The part of the training queries that is held out first; default 0.2; 0: none. */
  holdOut?: number | undefined
  /** A ranking to learn from, instead of labels or besides them. */
  teacher?: TeacherInputs | undefined
  /** The recipe to learn; default: the one that the judgments and the teacher allow. */
  recipe?: RecipeName | undefined
  /** From which grade on a document is relevant; default 1. */
  level?: number | undefined
  settings?: FitSettings | undefined
  /** The device that onnxruntime computes on; default cpu. */
  device?: string | undefined
  /** Threads of the CPU; default: all. The result does not depend on it. */
  threads?: number | undefined
  /** The policy for queries and documents that lack an embedding, a text or labels; default: error. */
  missing?: MissingPolicy | undefined
}

/** The queries of a fit, with their judgments and labels. */
export interface OpenFit {
  recipe: RecipeName
  /** The queries that are learned from while others are held out, and in the end. */
  learned: readonly TaughtQuery[]
  all: readonly TaughtQuery[]
  heldOut: HeldOutQueries | undefined
  /** The data that held-out queries are measured by. */
  by: MeasuredBy
  inverseTemperature: number
  device: DeviceOptions
  metric: Metric
  missing: TrainingMissing
  files: readonly string[]
}

/** Reads the queries of a fit, asks the teacher if the recipe needs it, and holds some queries out. */
export async function openFit(inputs: FitInputs, docs: Embeddings, hooks: Hooks): Promise<OpenFit> {
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

/** The recipe that is asked for, or the one that fits the judgments and the teacher. */
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

/** Evidence-based labels of queries, made once with their original embeddings. */
async function evidence(
  { queries }: ReadQueries,
  target: PartialLabelSettings,
  docs: Embeddings,
): Promise<TaughtQuery[]> {
  const { evidenceLabels } = await loadFit()
  return evidenceLabels(queries, target, docs)
}

/** Queries that test an adapter: by their judgments, or by the teacher's first documents. */
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

/** Holds a part of the queries out, if no other queries test the adapter. */
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
