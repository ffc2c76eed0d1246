import type { Metric } from '../exact/search-exact.ts'
import { type KnownCollection, tableOf, vectorType } from './postgres-schema.ts'
import { formatVector } from './postgres-vectors.ts'

/** The choices that decide a search's SQL. */
export interface SearchPlan {
  name: string
  collection: KnownCollection
  metric: Metric
  exact: boolean
  filter: string | undefined
  vectors: boolean
}

/** Whether the approximate index serves a search. */
export function usesIndex({ collection, metric, exact }: SearchPlan): boolean {
  return collection.indexed && !exact && metric === collection.metric
}

/**
 * One statement for a batch of queries, each of which gets so many documents. Rows are: number of
 * the query from 1 on (bigint), id, score (float8), vector.
 */
export function searchSql(plan: SearchPlan, queries: readonly Float32Array[], top: number): string {
  const { name, collection, metric, filter, vectors } = plan
  const operator = metric === 'dot' ? '<#>' : '<=>'
  // Scores are computed in single precision even where vectors are kept in half. The cosine of
  // a vector without length is not a number for pgvector; here it is 0.
  const distance = `coalesce(nullif(embedding::vector ${operator} q.v, 'NaN'), 1)`
  const where = filter === undefined ? '' : `WHERE (${filter}\n)`
  // The index is used only if the order is by the bare operator.
  const order = usesIndex(plan)
    ? `embedding ${operator} q.v::${vectorType(collection.type)}`
    : `${distance}, number`
  const list = queries.map((vector) => `'${formatVector(vector)}'`).join(',')
  return `
    SELECT q.n, d.id, ${metric === 'dot' ? '-' : '1 - '}d.distance,
      ${vectors ? 'd.embedding' : 'NULL'}
    FROM unnest(ARRAY[${list}]::vector[]) WITH ORDINALITY AS q(v, n)
    CROSS JOIN LATERAL (
      SELECT id, number, embedding, ${distance} AS distance
      FROM ${tableOf(name)} ${where}
      ORDER BY ${order}
      LIMIT ${top}
    ) d
    ORDER BY q.n, d.distance, d.number`
}
