import { auditCandidates, type Finding, type LabelSettings } from '@kith/core'
import { VectorRows, type VectorSource } from '../join/vector-rows.ts'
import type { Job } from '../tasks/job.ts'
import type { AuditTask } from './audit-tasks.ts'

/** Everything that the audit of queries takes. */
export interface AuditJobInputs {
  queries: VectorSource
  docs: VectorSource
  settings: LabelSettings
  level: number
  /** How many documents of a query are listed. */
  perQuery: number
}

/** Audits task after task. */
export class AuditJob implements Job<AuditTask, Finding[]> {
  readonly #inputs: AuditJobInputs
  readonly #queries: VectorRows
  readonly #docs: VectorRows

  private constructor(inputs: AuditJobInputs, queries: VectorRows, docs: VectorRows) {
    this.#inputs = inputs
    this.#queries = queries
    this.#docs = docs
  }

  static async open(inputs: AuditJobInputs): Promise<AuditJob> {
    const queries = await VectorRows.open(inputs.queries)
    return new AuditJob(inputs, queries, await VectorRows.open(inputs.docs))
  }

  run({ row, rows, grades, texts }: AuditTask): Finding[] {
    const { settings, level, perQuery } = this.#inputs
    const [text, ...others] = texts ?? []
    return auditCandidates(
      { vector: this.#queries.row(row), text },
      {
        vectors: Array.from(rows, (document) => this.#docs.row(document)),
        texts: texts && others,
      },
      grades,
      { ...settings, level, perQuery },
    )
  }

  async close(): Promise<void> {
    await this.#queries.close()
    await this.#docs.close()
  }

  /** As `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
