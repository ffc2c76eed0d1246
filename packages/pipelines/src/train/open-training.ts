import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { KithError, type Matrix, type Settings } from '@kith/core'
import { type Embeddings, openEmbeddings, type Qrels, type Run, readRun } from '@kith/ir'
import { embeddingFiles } from '@kith/ir/internal'
import type { PartialTrainSettings, QueryModel, Relabel, TrainingQuery } from '@kith/train'
import { trainDefaults } from '@kith/train/internal'
import { type LearnedQueries, learnedQueries } from '../files/learned-queries.ts'
import type { Hooks } from '../job/hooks.ts'
import { jobDefaults } from '../job/job-defaults.ts'
import { type Missing, namingFiles, type TrainingMissing } from '../join/missing.ts'
import { documentsDiffer, documentsIn, runMetric } from '../join/run-metric.ts'
import { type HeldOutQueries, holdOutOf, holdOutQueries } from './hold-out.ts'
import { agreeing, teachQueries } from './teach-queries.ts'
import { openTeacher, type TeacherInputs } from './teacher.ts'
import {
  checkTraining,
  loadTrain,
  openTrainable,
  stepsFor,
  type TrainingInputs,
} from './training-inputs.ts'
import {
  outsideRemark,
  type QueryFiles,
  readTrainingQueries,
  treatOutside,
} from './training-queries.ts'

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
  /** The metric that the training run was searched by; `auto` where the documents have one length. */
  metric: Settings['metric']
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
    const { metric } = learned
    const validated =
      validation && (await openValidationQueries({ ...given, metric }, validation, hooks))
    return {
      docs,
      docsVersion: await versionOf(inputs.docs),
      queries: learned.queries,
      relabel: learned.relabel,
      validation: validated?.queries,
      heldOut: learned.heldOut,
      settings: stepsFor(inputs.settings ?? {}, learned.queries.length),
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

/** Lists shorter than this hold nothing but the hardest candidates. */
const SHORT = 50

/** Queries that the metric of a training is chosen by. */
const METRIC_QUERIES = 50

/** The documents and the model that queries are opened for. */
interface OpenFor {
  inputs: TrainingInputs
  docs: Embeddings
  /** Embeds queries with the model as it is before the training. */
  embed(queries: readonly TrainingQuery[]): Promise<Matrix>
  /** The metric of the training; default: that of the run. */
  metric?: Settings['metric'] | undefined
}

/** Queries with all that a training takes of them. */
interface OpenQueries {
  queries: readonly TrainingQuery[]
  /** Makes labels for other candidates, where a teacher does. */
  relabel?: Relabel | undefined
  missing: readonly Missing[]
  /** The metric that the run was searched by; `auto` where the documents have one length. */
  metric: Settings['metric']
  /** The judgments, where there are some. */
  qrels: Qrels | undefined
  /** The files that were read. */
  files: readonly string[]
}

/** Queries that are learned from, and those that are held out of it. */
interface OpenTrainingQueries extends OpenQueries {
  heldOut: HeldOutQueries | undefined
}

/** The queries that are learned from: judged, labeled before, or taught. */
async function openTrainingQueries(given: OpenFor, hooks: Hooks): Promise<OpenTrainingQueries> {
  const { inputs } = given
  const { outside = jobDefaults.outside, settings } = inputs
  const { listSize = trainDefaults.listSize } = settings ?? {}
  const read = await readQueries('training queries', inputs.training, given, hooks)
  const { learned, heldOut } = split(read, inputs, hooks)
  const { queries, counts } = treatOutside(learned, outside, listSize)
  const remark = outsideRemark(counts, outside)
  if (queries.length === 0) {
    throw new KithError('BAD_INPUT', `training queries of ${inputs.training.run}: ${remark}`)
  }
  if (remark !== undefined) hooks.onRemark?.(remark)
  if (!inputs.teacher) remarkShortLists(queries, settings, hooks)
  return { ...read, queries, heldOut }
}

/** The queries to learn from, and those to hold out, where some are. */
function split(
  { queries, qrels }: OpenQueries,
  inputs: TrainingInputs,
  hooks: Hooks,
): ReturnType<typeof holdOutQueries> {
  const part = holdOutOf(inputs)
  if (part === 0 || !qrels) return { learned: queries, heldOut: undefined }
  return holdOutQueries(queries, qrels, { part, seed: inputs.settings?.seed }, hooks)
}

/** Says so where all negatives of most queries are their hardest. */
function remarkShortLists(
  queries: readonly TrainingQuery[],
  { listSize = trainDefaults.listSize, skip = 0, negativesBelow = null }: PartialTrainSettings = {},
  { onRemark }: Hooks,
): void {
  if (skip > 0 || negativesBelow !== null) return
  const short = queries.filter(({ retrieved }) => Math.min(retrieved.length, listSize) < SHORT)
  if (short.length <= queries.length / 2) return
  onRemark?.(
    `${short.length} of ${queries.length} training queries have fewer than ${SHORT} candidates, the hardest: many of these are relevant, though not labeled, and training on them alone can ruin a model; take longer lists (listSize, and a run that is as long), or leave doubtful ones out (skip, negativesBelow)`,
  )
}

/** Held-out queries; those without judgments are validated by how far a model agrees with the teacher. */
async function openValidationQueries(
  given: OpenFor,
  files: QueryFiles,
  hooks: Hooks,
): Promise<OpenQueries> {
  const read = await readQueries('validation queries', files, given, hooks)
  return files.qrels === undefined ? { ...read, queries: agreeing(read.queries) } : read
}

async function readQueries(
  kind: string,
  files: QueryFiles,
  given: OpenFor,
  hooks: Hooks,
): Promise<OpenQueries> {
  const { inputs, docs, embed } = given
  const { level = jobDefaults.level, adapter, missing = jobDefaults.missing, teacher } = inputs
  const name = `${kind} of ${files.run}`
  const vectors = adapter !== undefined
  const run = await readRun(files.run)
  const named = {
    ...{ ...files, docs: inputs.docs, corpus: teacher?.corpus },
    queryText: vectors ? teacher?.queryText : files.queries,
  }
  const reading = { docs, level, vectors, missing, name }
  const made = await namingFiles(named, () => readTrainingQueries(files, run, reading))
  const { withoutTruth, report } = made
  const metric = given.metric ?? (await trainingMetric(files.run, run, made.queries, given, hooks))
  // Queries with judgments are validated by those.
  const opened =
    teacher && files.qrels === undefined
      ? await openTeacher(withQueryTexts(teacher, files, vectors), {
          ...{ run, docs, missing, metric },
          all: (inputs.settings?.refreshEvery ?? 0) > 0,
        })
      : undefined
  const teaching = { docs, missing, report, name, embed }
  const taught =
    opened && (await namingFiles(named, () => teachQueries(made.queries, opened, teaching, hooks)))
  const read = [files.queries, files.run, files.qrels, files.labels]
  for (const remark of report.remarks()) hooks.onRemark?.(`${name}: ${remark}`)
  if (withoutTruth > 0) {
    hooks.onRemark?.(`${withoutTruth} queries of ${files.run} have no relevant document`)
  }
  return {
    queries: taught?.queries ?? made.queries,
    relabel: taught?.relabel,
    missing: report.list(),
    metric,
    qrels: made.qrels,
    files: [...read.filter((file) => file !== undefined), ...(opened?.files ?? [])],
  }
}

/** A teacher that ranks by texts takes those of an encoder's queries, which are texts themselves. */
function withQueryTexts(
  teacher: TeacherInputs,
  { queries }: QueryFiles,
  vectors: boolean,
): TeacherInputs {
  if (vectors || teacher.run !== undefined) return teacher
  return { ...teacher, queryText: teacher.queryText ?? queries }
}

/**
 * The metric that a run was searched by, for all that a training searches and reranks; `auto` where the
 * documents have one length. The training itself compares by inner product, which a remark says.
 */
async function trainingMetric(
  file: string,
  run: Run,
  all: readonly TrainingQuery[],
  { docs, embed }: OpenFor,
  hooks: Hooks,
): Promise<Settings['metric']> {
  if (!documentsDiffer(docs)) return 'auto'
  const first = all.slice(0, METRIC_QUERIES)
  const { data, dimensions } = await embed(first)
  const places = new Map(first.map(({ id }, place) => [id, place]))
  const queries = {
    rowOf: (id: string) => places.get(id),
    read: (from: number, to: number) => data.subarray(from * dimensions, to * dimensions),
  }
  const rankings = first.map(({ id }) => run.get(id)!)
  const sources = { run: file, rankings, queries, documents: documentsIn(docs) }
  const metric = await runMetric('auto', sources, hooks)
  if (metric === 'cosine') {
    hooks.onRemark?.(
      'training compares by inner product, but the run was searched by cosine: train on documents of unit length to train for cosine',
    )
  }
  return metric
}
