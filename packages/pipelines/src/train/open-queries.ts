import { KithError, type Matrix, type Settings } from '@kith/core'
import { type Embeddings, type Qrels, type Run, readRun } from '@kith/ir'
import type { PartialTrainSettings, Relabel, TrainingQuery } from '@kith/train'
import { trainDefaults } from '@kith/train/internal'
import type { Hooks } from '../job/hooks.ts'
import { jobDefaults } from '../job/job-defaults.ts'
import { type Missing, namingFiles } from '../join/missing.ts'
import { documentsIn, runMetric } from '../join/run-metric.ts'
import { documentsDiffer } from '../join/vector-lengths.ts'
import { type HeldOutQueries, holdOutOf, holdOutQueries } from './hold-out.ts'
import { outsideRemark, treatOutside } from './outside-labels.ts'
import { agreeing, teachQueries } from './teach-queries.ts'
import { openTeacher, type TeacherInputs } from './teacher.ts'
import type { TrainingInputs } from './training-inputs.ts'
import { type QueryFiles, readTrainingQueries } from './training-queries.ts'

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
export async function openTrainingQueries(
  given: OpenFor,
  hooks: Hooks,
): Promise<OpenTrainingQueries> {
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
export async function openValidationQueries(
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
