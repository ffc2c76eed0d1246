import type { PreparedText } from '@kith/core'
import { type LabelPlan, type LeftOut, labelTasks } from '../labels/label-tasks.ts'
import type { QueryTask } from '../tasks/job.ts'

/** One query to audit. */
export interface AuditTask extends QueryTask {
  /** Its row among the queries' embeddings. */
  row: number
  /** The rows of the context's documents, those known to be relevant first. */
  rows: Uint32Array
  /** The grade of each document, undefined without a judgment. */
  grades: (number | undefined)[]
  /** The texts of the query and of the documents, where the words are looked at. */
  texts: PreparedText[] | undefined
}

/** The contexts that labels are made from, with the grades of their judged documents. */
export async function* auditTasks(plan: LabelPlan, leftOut: LeftOut): AsyncGenerator<AuditTask> {
  for await (const { query, row, rows, texts } of labelTasks(plan, leftOut)) {
    const judged = plan.qrels.get(query)!
    const grades = Array.from(rows, (at) => judged.get(plan.docs.idOf(at)))
    yield { query, row, rows, grades, texts }
  }
}
