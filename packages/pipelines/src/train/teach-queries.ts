import { setImmediate } from 'node:timers/promises'
import { KithError, type Matrix } from '@kith/core'
import type { Embeddings, Qrels } from '@kith/ir'
import type { Relabel, TrainingQuery } from '@kith/train'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { Join } from '../join/join.ts'
import type { MissingPolicy, MissingReport } from '../join/missing.ts'
import type { Teacher } from './teacher.ts'

/** Number of the teacher's first documents for measuring agreement. */
const AGREED = 10

/** Number of queries to label between two pauses: some hundredths of a second. */
const PAUSE = 64

/** The inputs for labeling queries, besides the teacher. */
interface Teaching {
  docs: Embeddings
  missing: MissingPolicy
  report: MissingReport
  /** The name of the queries in messages. */
  name: string
  /** Embeds queries with the model before training. */
  embed(queries: readonly TrainingQuery[]): Promise<Matrix>
}

/** Queries with the teacher's labels, and a function for labeling other candidates. */
interface TaughtQueries {
  queries: TrainingQuery[]
  /** Makes labels for new candidates; undefined if labels do not depend on the candidates. */
  relabel: Relabel | undefined
}

/**
 * Labels queries with a teacher; leaves out and reports queries for which the teacher has no
 * labels.
 */
export async function teachQueries(
  queries: readonly TrainingQuery[],
  teacher: Teacher,
  { docs, missing, report, name, embed }: Teaching,
  hooks: Hooks,
): Promise<TaughtQueries> {
  const join = new Join({ docs }, missing, report)
  const embeddings = teacher.needsEmbedding ? await embed(queries) : undefined
  const places = new Map(queries.map(({ id }, place) => [id, place]))
  const labelsOf = (query: TrainingQuery) => {
    const place = places.get(query.id)!
    const { data, dimensions } = embeddings ?? { data: new Float32Array(), dimensions: 0 }
    const embedding = data.subarray(place * dimensions, (place + 1) * dimensions)
    return teacher.teach(query, embeddings && embedding, join)
  }
  const onDone = stageOf(hooks, `teaching ${name}`, queries.length)
  const taught: TrainingQuery[] = []
  for (const [i, query] of queries.entries()) {
    const labels = labelsOf(query)
    if (labels) taught.push({ ...query, labels })
    // Without a pause, an abort signal could not be noticed.
    if (i % PAUSE === 0) await setImmediate()
    onDone(i + 1)
  }
  join.check(`${name}: `)
  if (taught.length === 0) {
    throw new KithError('BAD_INPUT', `${name}: the teacher has labels for none of the queries`)
  }
  const relabel = (query: TrainingQuery) => {
    const labels = labelsOf(query)
    join.check(`${name}: `)
    return labels ?? query.labels!
  }
  return { queries: taught, relabel: teacher.needsEmbedding ? relabel : undefined }
}

/**
 * Sets the teacher's first documents as relevant, so that measures show the agreement with the
 * teacher.
 */
export function agreeing(queries: readonly TrainingQuery[]): TrainingQuery[] {
  return queries.map(({ labels, ...query }) => {
    return { ...query, relevant: labels!.rows.slice(0, AGREED), grades: undefined }
  })
}

/**
 * Returns judgments with the teacher's first documents as relevant, so that measures show the
 * agreement with the teacher.
 */
export function agreement(
  queries: readonly { id: string; labels?: { rows: ArrayLike<number> } | undefined }[],
  docs: Pick<Embeddings, 'idOf'>,
): Qrels {
  return new Map(
    queries.flatMap(({ id, labels }) => {
      if (!labels) return []
      const first = Array.from(labels.rows).slice(0, AGREED)
      return [[id, new Map(first.map((row) => [docs.idOf(row), 1]))] as const]
    }),
  )
}
