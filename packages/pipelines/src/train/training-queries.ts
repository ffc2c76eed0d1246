import { FileError, readLines } from '@kith/base'
import { KithError } from '@kith/core'
import {
  type Embeddings,
  type LabeledQuery,
  openEmbeddings,
  type Qrels,
  type RankedQuery,
  type Run,
  readLabels,
  readQrels,
  readTexts,
} from '@kith/ir'
import type { TrainingQuery } from '@kith/train'
import { jobDefaults, type OutsidePolicy } from '../job/job-defaults.ts'
import { Join } from '../join/join.ts'
import type { MissingPolicy, MissingReport } from '../join/missing.ts'

/** The data of training queries as read from files, by id. */
export interface QuerySources {
  /** The queries with their retrieved documents: a `Run`, or single rankings. */
  rankings: Iterable<RankedQuery>
  /** The judgments; without judgments, a query needs no relevant document. */
  qrels: Qrels | undefined
  documents: Pick<Embeddings, 'rowOf'>
  /** The texts by query, for an encoder. */
  texts?: ReadonlyMap<string, string> | undefined
  /** The queries' embeddings, for an adapter. */
  vectors?: Pick<Embeddings, 'rowOf' | 'read'> | undefined
  /** Targets made earlier, by query. */
  labels?: ReadonlyMap<string, LabeledQuery> | undefined
  /** The minimum grade of a relevant document; default 1. */
  level?: number | undefined
  /** The policy for queries and documents with missing data; default: error. */
  missing?: MissingPolicy | undefined
  /** The name of the queries in messages, such as `training queries`. */
  name?: string | undefined
}

/** The training queries, and the number of rankings that gave none. */
export interface QueriesMade {
  queries: TrainingQuery[]
  /** Number of rankings of queries without a relevant document that has an embedding. */
  withoutTruth: number
  /** The queries and documents that were left out because of missing data. */
  report: MissingReport
}

/**
 * Joins the data of files into training queries, with document rows instead of ids. Leaves out
 * queries without a relevant document, and does not report other missing data of these queries.
 *
 * ```ts
 * const { queries } = trainingQueries({ rankings: run, qrels, documents: docs })
 * ```
 */
export function trainingQueries(sources: QuerySources): QueriesMade {
  const { documents: docs, texts, vectors, missing = 'error' } = sources
  const where = sources.name === undefined ? '' : `${sources.name}: `
  const present = texts && { hasQuery: (id: string) => texts.has(id), hasDocument: () => true }
  const join = new Join({ queries: vectors, docs, texts: present }, missing)
  const queries: TrainingQuery[] = []
  let [rankings, withoutTruth] = [0, 0]
  for (const ranking of sources.rankings) {
    rankings++
    const judgments = sources.qrels?.get(ranking.query)
    const truth = join.truth(judgments, sources.level ?? jobDefaults.level)
    if (sources.qrels && truth.rows.length === 0) {
      withoutTruth++
      continue
    }
    const known = queryOf(sources, ranking, join)
    if (known) queries.push({ ...known, relevant: truth.rows, grades: truth.grades })
  }
  join.check(where)
  if (queries.length === 0) {
    throw new KithError('BAD_INPUT', `${where}${noneOf(sources.qrels, rankings, withoutTruth)}`)
  }
  return { queries, withoutTruth, report: join.report }
}

function noneOf(qrels: Qrels | undefined, rankings: number, withoutTruth: number): string {
  if (!qrels)
    return `none of ${rankings} queries has an embedding or text, candidates and labels, which training needs`
  const lack = withoutTruth < rankings ? ' and everything else that training needs' : ''
  const example = [...qrels.keys()][0]
  return `none of ${rankings} queries has a relevant document with an embedding${lack} (the first query id in the judgments is ${example})`
}

/** Returns a training query without its judgments, or undefined if the query lacks data. */
function queryOf(
  { texts, vectors, labels }: QuerySources,
  { query: id, ids }: RankedQuery,
  join: Join,
): Omit<TrainingQuery, 'relevant' | 'grades'> | undefined {
  const row = join.query(id)
  const retrieved = join.candidates(ids, Number.POSITIVE_INFINITY).rows
  const target = labels && labelsOf(labels.get(id), id, join)
  if (row === undefined || (labels && !target)) return undefined
  return {
    id,
    text: texts?.get(id),
    vector: vectors?.read(row, row + 1),
    retrieved: Uint32Array.from(retrieved),
    labels: target,
  }
}

/** Returns the target of a query by row, or undefined if nothing of it remains. */
function labelsOf(
  labeled: LabeledQuery | undefined,
  id: string,
  join: Join,
): TrainingQuery['labels'] {
  if (!labeled) {
    join.report.add('queries of the run have no labels (were the labels made for this run?)', id)
    return undefined
  }
  const rows: number[] = []
  const values: number[] = []
  join.documents('labeled documents', labeled.docs).forEach((row, i) => {
    if (row === undefined) return
    rows.push(row)
    values.push(labeled.labels[i]!)
  })
  if (rows.length > 0 || labeled.docs.length === 0) return { rows, values }
  join.report.add('queries of the run have no labeled document with an embedding', id)
  return undefined
}

/** The files of training or validation queries. */
export interface QueryFiles {
  /** The texts of the queries, or their embeddings if an adapter is trained. */
  queries: string
  /** The candidates of the queries. */
  run: string
  /** The judgments of the queries; required without a teacher. */
  qrels?: string | undefined
  /** The targets of the queries, from `labelRun` or `kith labels`; not used for validation. */
  labels?: string | undefined
}

/** Options for reading the files of queries. */
interface QueryReading {
  docs: Embeddings
  level: number
  /** Whether queries are embeddings instead of texts. */
  vectors: boolean
  missing: MissingPolicy
  /** The name of the queries in messages. */
  name: string
}

/** Reads the queries of a run that have ground truth, with all inputs of a training. */
export async function readTrainingQueries(
  files: QueryFiles,
  rankings: Run,
  { docs, vectors, ...reading }: QueryReading,
): Promise<QueriesMade & { qrels: Qrels | undefined }> {
  const qrels = files.qrels === undefined ? undefined : await readQrels(files.qrels)
  const embeddings = vectors ? await openEmbeddings(files.queries) : undefined
  try {
    const made = trainingQueries({
      ...reading,
      rankings,
      qrels,
      documents: docs,
      vectors: embeddings,
      texts: vectors
        ? undefined
        : await byId(readTexts(files.queries), ({ id, text }) => [id, text]),
      labels: files.labels === undefined ? undefined : await readLabelsById(files.labels),
    })
    return { ...made, qrels }
  } finally {
    await embeddings?.close()
  }
}

async function readLabelsById(file: string): Promise<Map<string, LabeledQuery>> {
  const labels = new Map<string, LabeledQuery>()
  for await (const entry of readLabels(file)) {
    if (labels.has(entry.query)) {
      const line = await secondLine(file, entry.query)
      throw new FileError(file, `line ${line}`, `query ${entry.query} has labels twice`)
    }
    labels.set(entry.query, entry)
  }
  return labels
}

/** Finds the second line with labels of a query. */
async function secondLine(file: string, query: string): Promise<number | undefined> {
  const isOf = (text: string) => text.trim() !== '' && JSON.parse(text).query === query
  const lines = []
  for await (const line of readLines(file, (text, at) => (isOf(text) ? at : undefined))) {
    if (lines.push(line) === 2) return line
  }
  return undefined
}

async function byId<T, V>(
  entries: AsyncIterable<T>,
  pair: (entry: T) => [string, V],
): Promise<Map<string, V>> {
  const map = new Map<string, V>()
  for await (const entry of entries) map.set(...pair(entry))
  return map
}

/** Labels outside a query's candidates. */
interface OutsideLabels {
  /**
   * Numbers of all labeled documents, of labeled documents outside the list, and of queries without
   * labeled documents in the list.
   */
  labels: number
  outside: number
  queries: number
  /** The length of the longest searched list: the list size, or less if the run is shorter. */
  candidates: number
}

/** Counts the labeled documents that are not among the first candidates, and applies the policy. */
export function treatOutside(
  queries: readonly TrainingQuery[],
  policy: OutsidePolicy,
  listSize: number,
): { queries: TrainingQuery[]; counts: OutsideLabels } {
  const counts = { labels: 0, outside: 0, queries: 0, candidates: 0 }
  const kept: TrainingQuery[] = []
  for (const query of queries) {
    const list = new Set(Array.from(query.retrieved).slice(0, listSize))
    const labeled = labeledRows(query)
    const outside = labeled.filter((row) => !list.has(row)).length
    counts.candidates = Math.max(counts.candidates, list.size)
    counts.labels += labeled.length
    counts.outside += outside
    if (outside === labeled.length) counts.queries++
    if (policy === 'inject' || outside === 0) kept.push(query)
    else if (outside < labeled.length) kept.push(insideOf(query, list))
  }
  return { queries: kept, counts }
}

/**
 * Returns the remark on labels outside the candidates, or undefined if they are too few to matter.
 */
export function outsideRemark(
  { labels, outside, queries, candidates }: OutsideLabels,
  policy: OutsidePolicy,
): string | undefined {
  if (outside === 0) return undefined
  const share = Math.round((100 * outside) / labels)
  const where = `${outside} of ${labels} labeled documents (${share} %) are not among their query’s first ${candidates} candidates`
  if (policy === 'drop') {
    const lost = queries > 0 ? `, and ${queries} queries that have no others` : ''
    return `${where} and are left out${lost} (outside: 'inject' adds them)`
  }
  if (outside < 0.1 * labels) return undefined
  return `${where} and are added, which can make the model worse (outside: 'drop' leaves them out)`
}

/** Returns the documents that a query learns from. */
function labeledRows({ relevant, labels }: TrainingQuery): readonly number[] {
  return labels ? labels.rows.filter((_, i) => labels.values[i]! > 0) : relevant
}

/** Returns a query with only the relevant and labeled documents in a list. */
function insideOf(query: TrainingQuery, list: ReadonlySet<number>): TrainingQuery {
  const { relevant, grades, labels } = query
  const at = relevant.flatMap((row, i) => (list.has(row) ? [i] : []))
  const labeledAt = labels?.rows.flatMap((row, i) => (list.has(row) ? [i] : []))
  return {
    ...query,
    relevant: at.map((i) => relevant[i]!),
    grades: grades && at.map((i) => grades[i]!),
    labels: labels && {
      rows: labeledAt!.map((i) => labels.rows[i]!),
      values: labeledAt!.map((i) => labels.values[i]!),
    },
  }
}
