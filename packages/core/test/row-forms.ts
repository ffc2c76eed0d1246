import {
  type Labels,
  type Matrix,
  type Member,
  neighbors,
  type PartialLabelSettings,
  type PartialSettings,
  resolveLabelSettings,
  similarity,
  smoothLabels,
  type Text,
  type Vector,
  type Vectors,
} from '../src/index.ts'

/** A context as the method's page counts it: row 0 of everything is the query's. */
export type RowContext = Matrix | RowViews

/** A context with texts and further views, the query's first in each. */
export interface RowViews {
  vectors: Vectors
  texts?: readonly Text[] | undefined
  views?: Readonly<Record<string, Vectors>> | undefined
}

/** Ground truth as rows of a context. */
export interface RowTruth {
  rows: readonly number[]
  grades?: readonly number[] | undefined
}

/** A context's query and its candidates. */
export function splitRows(context: RowContext) {
  const { vectors, texts, views = {} } = 'data' in context ? { vectors: context } : context
  const [vector, rest] = splitVectors(vectors)
  const more = Object.entries(views).map(([name, rows]) => [name, splitVectors(rows)] as const)
  return {
    query: {
      vector,
      text: texts?.[0],
      views: Object.fromEntries(more.map(([name, [own]]) => [name, own])),
    },
    candidates: {
      vectors: rest,
      texts: texts?.slice(1),
      views: Object.fromEntries(more.map(([name, [, others]]) => [name, others])),
    },
  }
}

/** `similarity` with rows for probes, the query's entry first in every answer. */
export function rowSimilarity(
  context: RowContext,
  rows: readonly number[],
  settings?: PartialSettings,
): Record<'geometric' | 'jaccard' | 'mixed', Float32Array[]> {
  const { query, candidates } = splitRows(context)
  const found = similarity(query, candidates, rows.map(memberOf), settings)
  const joined = (kind: 'geometric' | 'jaccard' | 'mixed') =>
    found.map(({ [kind]: own }) => Float32Array.of(own.toQuery, ...own.toCandidates))
  return { geometric: joined('geometric'), jaccard: joined('jaccard'), mixed: joined('mixed') }
}

/** `neighbors` as rows, the query's first. */
export function rowNeighbors(
  context: RowContext,
  settings?: PartialSettings,
): { rank: number[][]; reciprocal: number[][] } {
  const split = splitRows(context)
  const { query, candidates } = neighbors(split.query, split.candidates, settings)
  const all = [query, ...candidates]
  return {
    rank: all.map(({ nearest }) => nearest.map(rowOf)),
    reciprocal: all.map(({ reciprocal }) => reciprocal.map(rowOf)),
  }
}

/** `smoothLabels` with rows for the ground truth. */
export function rowLabels(
  context: RowContext,
  { rows, grades }: RowTruth,
  settings?: PartialLabelSettings,
): Labels {
  const { query, candidates } = splitRows(context)
  return smoothLabels(
    query,
    candidates,
    { candidates: rows.map((row) => row - 1), grades },
    settings && resolveLabelSettings(settings),
  )
}

function splitVectors(vectors: Vectors): [Vector, Vectors] {
  if (!('data' in vectors)) return [vectors[0]!, vectors.slice(1)]
  const { data, rows, dimensions } = vectors
  const rest = { data: data.subarray(dimensions), rows: rows - 1, dimensions }
  return [data.subarray(0, dimensions), rest]
}

function memberOf(row: number): Member {
  return row === 0 ? 'query' : row - 1
}

function rowOf(member: Member): number {
  return member === 'query' ? 0 : member + 1
}
