import { openBoth } from './open-both.ts'
import { VectorRows, type VectorSource } from './vector-rows.ts'

/** Where the vectors of contexts come from, in a form that can be handed to a worker thread. */
export interface ContextSources {
  queries: VectorSource
  docs: VectorSource
}

/** The vectors of a query and of its candidates, by their rows. */
export class ContextVectors {
  readonly #queries: VectorRows
  readonly #docs: VectorRows

  private constructor(queries: VectorRows, docs: VectorRows) {
    this.#queries = queries
    this.#docs = docs
  }

  static async open({ queries, docs }: ContextSources): Promise<ContextVectors> {
    const opened = await openBoth(VectorRows.open(queries), () => VectorRows.open(docs))
    return new ContextVectors(...opened)
  }

  of({ row, rows }: { row: number; rows: Uint32Array }): {
    vector: Float32Array
    vectors: Float32Array[]
  } {
    const vectors = Array.from(rows, (document) => this.#docs.row(document))
    return { vector: this.#queries.row(row), vectors }
  }

  /** Throws where a vector of a context has a number that is not finite, and says where it stands. */
  check({ row, rows }: { row: number; rows: Uint32Array }): void {
    this.#queries.check(row)
    for (const document of rows) this.#docs.check(document)
  }

  async close(): Promise<void> {
    await this.#queries.close()
    await this.#docs.close()
  }
}
