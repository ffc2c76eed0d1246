import { KithError, type Matrix } from '@kith/core'
import type { QueryTask } from '../tasks/job.ts'
import { namedError } from '../tasks/named-error.ts'
import { openBoth } from './open-both.ts'
import { VectorRows, type VectorSource } from './vector-rows.ts'

/** Where the vectors of contexts come from, in a form that can be handed to a worker thread. */
export interface ContextSources {
  queries: VectorSource
  docs: VectorSource
}

/** A query and its candidates, by their rows. */
export interface ContextTask extends QueryTask {
  row: number
  rows: Uint32Array
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

  of({ row, rows }: Pick<ContextTask, 'row' | 'rows'>): {
    vector: Float32Array
    vectors: Matrix
  } {
    return { vector: this.#queries.row(row), vectors: this.#docs.chosen(rows) }
  }

  /**
   * Works with the vectors of a task. An error of the core is given the task's query, one about a
   * number that is not finite the file and row where that number stands.
   */
  use<T>(task: ContextTask, work: (context: ReturnType<ContextVectors['of']>) => T): T {
    try {
      return work(this.of(task))
    } catch (error) {
      if (error instanceof KithError && error.code === 'BAD_VECTOR') this.#check(task)
      throw namedError(error, task)
    }
  }

  #check({ row, rows }: ContextTask): void {
    this.#queries.check(row)
    for (const document of rows) this.#docs.check(document)
  }

  async close(): Promise<void> {
    await this.#queries.close()
    await this.#docs.close()
  }
}
