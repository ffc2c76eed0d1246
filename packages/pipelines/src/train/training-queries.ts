import { KithError } from '@kith/core'
import type { Embeddings, LabeledQuery, Qrels, RankedQuery } from '@kith/ir'
import type { TrainingQuery } from '@kith/train'
import { jobDefaults } from '../job/job-defaults.ts'
import { Join } from '../join/join.ts'
import type { MissingPolicy, MissingReport } from '../join/missing.ts'

/** The data that training queries are made of, as files have it: everything by id. */
export interface QuerySources {
  /** Queries with their retrieved documents: a `Run`, or rankings one by one. */
  rankings: Iterable<RankedQuery>
  /** Without judgments a query needs no relevant document. */
  qrels: Qrels | undefined
  documents: Pick<Embeddings, 'rowOf'>
  /** For an encoder: the texts by query. */
  texts?: ReadonlyMap<string, string> | undefined
  /** For an adapter: the queries' embeddings. */
  vectors?: Pick<Embeddings, 'rowOf' | 'read'> | undefined
  /** Targets made before, by query. */
  labels?: ReadonlyMap<string, LabeledQuery> | undefined
  /** From which grade on a document is relevant; default 1. */
  level?: number | undefined
  /** The policy for queries and documents that lack something; default: error. */
  missing?: MissingPolicy | undefined
  /** The name of the queries in messages, such as `training queries`. */
  name?: string | undefined
}

/** Training queries, and how many rankings gave none. */
export interface QueriesMade {
  queries: TrainingQuery[]
  /** Rankings of queries without a relevant document that has an embedding. */
  withoutTruth: number
  /** Which queries and documents lacked something and were left out. */
  report: MissingReport
}

/**
 * Joins the data of files into training queries, with document rows in the place of ids. Queries
 * without a relevant document are left out, and nothing else that they lack is reported.
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
  if (!qrels) return `none of ${rankings} queries has all that training takes`
  const lack = withoutTruth < rankings ? ' and all else that training takes' : ''
  const example = [...qrels.keys()][0]
  return `none of ${rankings} queries has a relevant document with an embedding${lack} (the judgments have query ${example})`
}

/** A training query without its judgments; undefined where the query lacks something. */
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

/** The target of a query by rows; undefined where nothing is left of it. */
function labelsOf(
  labeled: LabeledQuery | undefined,
  id: string,
  join: Join,
): TrainingQuery['labels'] {
  if (!labeled) {
    join.report.add('queries of the run have no labels (were they made for it?)', id)
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
