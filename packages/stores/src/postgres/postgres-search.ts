import { halfTable, toHalves } from '@kith/base/half'
import type { Metric } from '../exact/search-exact.ts'
import { type KnownCollection, tableOf, vectorType, WHOLE_TEXT } from './postgres-schema.ts'

/** The settings that determine a search's SQL. */
interface SearchPlan {
  name: string
  collection: KnownCollection
  metric: Metric
  exact: boolean
  filter: string | undefined
  vectors: boolean
}

/** Returns whether a search uses the approximate index. */
export function usesIndex({ collection, metric, exact }: SearchPlan): boolean {
  return collection.indexed && !exact && metric === collection.metric
}

/**
 * Returns one statement for a batch of queries, each of which gets `top` documents. Its columns
 * are: number of the query from 1 on (bigint), id, score (float8), vector.
 */
export function searchSql(plan: SearchPlan, queries: readonly Float32Array[], top: number): string {
  const { name, collection, metric, filter, vectors } = plan
  const operator = metric === 'dot' ? '<#>' : '<=>'
  // Scores are computed in single precision even if vectors are stored in half precision. pgvector
  // returns NaN for the cosine of a zero vector; here it is 0.
  const distance = `coalesce(nullif(embedding::vector ${operator} q.v, 'NaN'), 1)`
  const where = filter === undefined ? '' : `WHERE (${filter}\n)`
  // PostgreSQL uses the index only if the order is the bare operator.
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

/** Returns the SQL for the documents after an id, ordered by id. */
export function scanSql(name: string, columns: string, behind: string, rows: number): string {
  return `SELECT ${columns} FROM ${tableOf(name)} WHERE id > ${behind} ORDER BY id LIMIT ${rows}`
}

/** Returns the SQL for the vectors of documents with the given texts, which are SQL literals. */
export function textVectorsSql(name: string, texts: readonly string[]): string {
  return `SELECT DISTINCT ON (asked.text) asked.text, embedding
    FROM unnest(ARRAY[${texts.join(',')}]) AS asked(text)
    JOIN ${tableOf(name)} d ON ${WHOLE_TEXT.replaceAll(/title|text/g, 'd.$&')} = asked.text
    ORDER BY asked.text, d.id`
}

/**
 * Encodes a vector in pgvector's binary format: its length, two unused bytes, the numbers, all
 * big-endian.
 */
export function encodeVector(vector: Float32Array, type: 'f16' | 'f32'): Buffer {
  const size = type === 'f16' ? 2 : 4
  const bytes = Buffer.allocUnsafe(4 + vector.length * size)
  bytes.writeInt16BE(vector.length, 0)
  bytes.writeInt16BE(0, 2)
  const numbers = type === 'f16' ? toHalves(vector) : vector
  bytes.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), 4)
  swap(bytes.subarray(4), size)
  return bytes
}

/**
 * Decodes a vector in pgvector's binary format into `into`.
 *
 * @returns false if there is no vector, or if its length or type differs.
 */
export function decodeVector(
  bytes: Buffer | null,
  type: 'f16' | 'f32',
  into: Float32Array,
): boolean {
  const size = type === 'f16' ? 2 : 4
  if (!bytes || bytes.length !== 4 + into.length * size) return false
  if (type === 'f32') {
    const target = Buffer.from(into.buffer, into.byteOffset, into.byteLength)
    bytes.copy(target, 0, 4)
    target.swap32()
    return true
  }
  const values = halfTable()
  for (let i = 0; i < into.length; i++) into[i] = values[bytes.readUInt16BE(4 + i * 2)]!
  return true
}

/** Formats a vector as pgvector's text: for queries, which are few. */
function formatVector(vector: Float32Array): string {
  return `[${vector.join(',')}]`
}

function swap(bytes: Buffer, size: 2 | 4): void {
  if (size === 2) bytes.swap16()
  else bytes.swap32()
}
