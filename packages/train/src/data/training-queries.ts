import { KithError } from '@kith/core'
import type { Embeddings, LabelledQuery, Qrels, RankedQuery } from '@kith/ir'
import type { TrainingQuery } from './training-query.ts'

/** The names of the files that training queries come from. */
export interface QueryFileNames {
  rankings?: string | undefined
  qrels?: string | undefined
  queries?: string | undefined
  labels?: string | undefined
}

/** What training queries are made of, as files have it: everything by id. */
export interface QuerySources {
  /** Queries with what was retrieved for each: a `Run`, or rankings one by one. */
  rankings: Iterable<RankedQuery>
  qrels: Qrels
  documents: Pick<Embeddings, 'rowOf'>
  /** For an encoder: the texts by query. */
  texts?: ReadonlyMap<string, string> | undefined
  /** For an adapter: the queries' embeddings. */
  vectors?: Pick<Embeddings, 'rowOf' | 'read'> | undefined
  /** Targets made before, by query. */
  labels?: ReadonlyMap<string, LabelledQuery> | undefined
  /** The files behind these, for messages. */
  files?: QueryFileNames | undefined
  /** From which grade on a document is relevant; default 1. */
  level?: number | undefined
}

/** Training queries, and how many rankings gave none. */
export interface QueriesMade {
  queries: TrainingQuery[]
  /** Rankings of queries without a relevant document that has an embedding. */
  withoutTruth: number
}

/** Brings what files say about queries together, with document rows in the place of ids. */
export function trainingQueries(sources: QuerySources): QueriesMade {
  const queries: TrainingQuery[] = []
  let withoutTruth = 0
  for (const ranking of sources.rankings) {
    const query = queryOf(sources, ranking)
    if (query) queries.push(query)
    else withoutTruth++
  }
  if (queries.length === 0) {
    const example = [...sources.qrels.keys()][0]
    const where = prefix(sources.files?.qrels)
    const problem = `${where}none of ${withoutTruth} queries has a relevant document with an embedding (the judgements have query ${example})`
    throw new KithError('BAD_INPUT', problem)
  }
  return { queries, withoutTruth }
}

function prefix(file: string | undefined): string {
  return file === undefined ? '' : `${file}: `
}

function queryOf(
  { qrels, documents, texts, vectors, labels, files, level = 1 }: QuerySources,
  { query: id, ids }: RankedQuery,
): TrainingQuery | undefined {
  const missing = (file: string | undefined, what: string) =>
    new KithError('BAD_INPUT', `${prefix(file)}query ${id} ${what}`)
  const truth = [...(qrels.get(id) ?? [])].flatMap(([document, grade]) => {
    const row = documents.rowOf(document)
    return grade >= level && row !== undefined ? [{ row, grade }] : []
  })
  if (truth.length === 0) return undefined
  const rowOf = (file: string | undefined, document: string): number => {
    const row = documents.rowOf(document)
    if (row === undefined) throw missing(file, `has document ${document}, which has no embedding`)
    return row
  }
  const text = texts?.get(id)
  if (texts && text === undefined) throw missing(files?.queries, 'is in the run, but has no text')
  const at = vectors?.rowOf(id)
  if (vectors && at === undefined)
    throw missing(files?.queries, 'is in the run, but has no embedding')
  const own = labels?.get(id)
  if (labels && !own) {
    throw missing(files?.labels, 'is in the run, but not in the labels: were they made for it?')
  }
  return {
    id,
    text,
    vector: at === undefined ? undefined : vectors!.read(at, at + 1),
    relevant: truth.map(({ row }) => row),
    grades: truth.map(({ grade }) => grade),
    retrieved: Uint32Array.from(ids, (document) => rowOf(files?.rankings, document)),
    labels: own && {
      rows: own.docs.map((document) => rowOf(files?.labels, document)),
      values: own.labels,
    },
  }
}
