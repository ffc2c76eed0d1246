import { KithError } from '@kith/core'
import type { PoolClient } from 'pg'
import type { ScannedBlock } from '../search/scan-documents.ts'
import { type Connections, copyOut, postgresError, withClient } from './postgres-connection.ts'
import { type Collection, tableOf } from './postgres-schema.ts'
import { decodeVector, scanSql } from './postgres-search.ts'

/** Approximate bytes of vectors in one result. */
export const ANSWER_BYTES = 2 ** 26

/** Reads the rows and vectors of a collection. */
export class PostgresReader {
  readonly #connections: Connections
  readonly #name: string
  /** The `hnsw.ef_search` setting of each connection, if it was set. */
  readonly #efforts = new WeakMap<PoolClient, number>()

  constructor(connections: Connections, name: string) {
    this.#connections = connections
    this.#name = name
  }

  async query(sql: string, values: unknown[]): Promise<{ rows: Record<string, unknown>[] }> {
    try {
      return await this.#connections.pool.query(sql, values)
    } catch (error) {
      throw postgresError(this.#connections.name, error)
    }
  }

  /** Reads the rows of a query; `effort` is `hnsw.ef_search` if the query uses the index. */
  async read(
    sql: (client: PoolClient) => string,
    effort?: number | undefined,
  ): Promise<(Buffer | null)[][]> {
    return withClient(this.#connections, async (client) => {
      if (effort !== undefined && this.#efforts.get(client) !== effort) {
        // The iterative scan continues until enough documents pass the filter.
        await client.query(`SET hnsw.ef_search = ${effort}; SET hnsw.iterative_scan = strict_order`)
        this.#efforts.set(client, effort)
      }
      return copyOut(client, sql(client))
    })
  }

  /** Yields all documents, ordered by id, some thousands at a time. */
  async *scan(
    collection: Collection,
    { vectors }: { vectors: boolean },
  ): AsyncGenerator<ScannedBlock> {
    const step = Math.ceil(ANSWER_BYTES / (vectors ? 4 * collection.dimensions : 64))
    const columns = vectors ? 'id, embedding' : 'id'
    for (let last = ''; ; ) {
      const rows = await this.read((client) =>
        scanSql(this.#name, columns, client.escapeLiteral(last), step),
      )
      if (rows.length === 0) return
      const ids = rows.map(([id]) => id!.toString())
      const numbers = vectors ? rows.map(([, vector]) => vector!) : []
      yield { ids, vectors: this.decode(collection, numbers) }
      last = ids.at(-1)!
    }
  }

  /** Decodes vectors from pgvector's binary format into one array. */
  decode({ dimensions, type }: Collection, vectors: readonly (Buffer | null)[]): Float32Array {
    const all = new Float32Array(vectors.length * dimensions)
    vectors.forEach((bytes, i) => {
      const fits = decodeVector(bytes, type, all.subarray(i * dimensions, (i + 1) * dimensions))
      if (fits) return
      throw new KithError(
        'BAD_SHAPE',
        `${this.#connections.name}: a vector in ${tableOf(this.#name)} does not have ${dimensions} numbers of type ${type}, as recorded in kith.collections`,
      )
    })
    return all
  }
}
