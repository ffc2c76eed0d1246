import type { Matrix, Settings } from '@kith/core'
import { type FileEmbeddings, type Qrels, type Run, readRun } from '@kith/ir'
import type { DeviceOptions, QueryModel, Relabel, TrainingQuery } from '@kith/train'
import type { Hooks } from '../job/hooks.ts'
import { jobDefaults } from '../job/job-defaults.ts'
import { type Missing, type MissingReport, namingFiles } from '../join/missing.ts'
import { documentsDiffer, documentsIn, runMetric } from '../join/run-metric.ts'
import { teachQueries } from './teach-queries.ts'
import { openTeacher, type TeacherInputs } from './teacher.ts'
import { loadTrain, type TrainingInputs } from './training-inputs.ts'
import { type QueryFiles, readTrainingQueries } from './training-queries.ts'

/** Number of queries for detecting the metric of a training. */
const METRIC_QUERIES = 50

/** The inputs for reading and labeling queries. */
type ReadingInputs = Pick<
  TrainingInputs,
  'docs' | 'level' | 'adapter' | 'missing' | 'teacher' | 'settings'
>

/** The documents and the model for opening queries. */
export interface OpenFor {
  inputs: ReadingInputs
  docs: FileEmbeddings
  /** Embeds queries with the model before training. */
  embed(queries: readonly TrainingQuery[]): Promise<Matrix>
  /** The metric of the training. Default: the metric of the run. */
  metric?: Settings['metric'] | undefined
}

/** Queries with all inputs of a training. */
export interface OpenQueries {
  queries: readonly TrainingQuery[]
  /** Makes labels for new candidates, if a teacher can. */
  relabel?: Relabel | undefined
  missing: readonly Missing[]
  /** The metric of the run; `auto` if the documents do not differ in length. */
  metric: Settings['metric']
  /** The judgments, if any. */
  qrels: Qrels | undefined
  /** The files that were read. */
  files: readonly string[]
}

/** Queries as read from files, before a teacher labels them. */
export interface ReadQueries extends OpenQueries {
  /** The name of the queries in messages. */
  name: string
  run: Run
  report: MissingReport
  /** The files by their contents, for messages. */
  named: Parameters<typeof namingFiles>[0]
  from: QueryFiles
}

/** Embeds queries with a model. */
export function embedWith(
  openModel: () => Promise<QueryModel>,
  device: DeviceOptions,
): OpenFor['embed'] {
  return async (queries) => {
    const { QueryEncoder } = await loadTrain()
    const encoder = await QueryEncoder.open(await openModel(), device)
    try {
      return await encoder.encode(queries)
    } finally {
      await encoder.close()
    }
  }
}

/** Reads and joins the files of queries. */
export async function readQueries(
  kind: string,
  files: QueryFiles,
  given: OpenFor,
  hooks: Hooks,
): Promise<ReadQueries> {
  const { inputs, docs } = given
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
  const read = [files.queries, files.run, files.qrels, files.labels]
  for (const remark of report.remarks()) hooks.onRemark?.(`${name}: ${remark}`)
  if (withoutTruth > 0) {
    hooks.onRemark?.(`${withoutTruth} queries of ${files.run} have no relevant document`)
  }
  return {
    queries: made.queries,
    missing: report.list(),
    metric,
    qrels: made.qrels,
    files: read.filter((file) => file !== undefined),
    ...{ name, run, report, named, from: files },
  }
}

/**
 * Adds a teacher's labels to queries.
 *
 * @param ownScores Whether the scores of Kith's ranking are used without standardizing them.
 */
export async function teachRead(
  read: ReadQueries,
  teacher: TeacherInputs,
  { inputs, docs, embed }: OpenFor,
  hooks: Hooks,
  ownScores = false,
): Promise<OpenQueries> {
  const { run, metric, report, name, named, from } = read
  const { adapter, missing = jobDefaults.missing, settings } = inputs
  const opened = await openTeacher(withQueryTexts(teacher, from, adapter !== undefined), {
    ...{ run, docs, missing, metric, ownScores },
    all: (settings?.refreshEvery ?? 0) > 0,
  })
  const said = new Set(report.remarks())
  const teaching = { docs, missing, report, name, embed }
  const taught = await namingFiles(named, () => teachQueries(read.queries, opened, teaching, hooks))
  for (const remark of report.remarks()) {
    if (!said.has(remark)) hooks.onRemark?.(`${name}: ${remark}`)
  }
  return {
    ...read,
    queries: taught.queries,
    relabel: taught.relabel,
    missing: report.list(),
    files: [...read.files, ...opened.files],
  }
}

/**
 * Uses an encoder's queries, which are texts, as the query texts of a teacher that ranks by texts.
 */
function withQueryTexts(
  teacher: TeacherInputs,
  { queries }: QueryFiles,
  vectors: boolean,
): TeacherInputs {
  if (vectors || teacher.run !== undefined) return teacher
  return { ...teacher, queryText: teacher.queryText ?? queries }
}

/**
 * Returns the metric of a run, for all searches and rerankings of a training; `auto` if the
 * documents do not differ in length. The training itself uses the inner product, except for a
 * linear adapter; a remark says so if the run was searched by cosine.
 */
async function trainingMetric(
  file: string,
  run: Run,
  all: readonly TrainingQuery[],
  { inputs, docs, embed }: OpenFor,
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
  // A linear adapter uses the metric of the run.
  if (metric === 'cosine' && inputs.adapter !== 'linear') {
    hooks.onRemark?.(
      'training compares by inner product, but the run was searched by cosine: train on documents of unit length to train for cosine',
    )
  }
  return metric
}
