import type { AuditTask } from './audit-job.ts'
import { type LabelPlan, type LeftOut, labelTasks } from './label-tasks.ts'

/** Label tasks that know which of their documents nobody has judged. */
export async function* auditTasks(plan: LabelPlan, leftOut: LeftOut): AsyncGenerator<AuditTask> {
  for await (const task of labelTasks(plan, leftOut)) {
    const judged = plan.qrels.get(task.query)!
    const unjudged: number[] = []
    task.rows.forEach((row, document) => {
      if (!judged.has(plan.docs.idOf(row))) unjudged.push(document)
    })
    yield { ...task, unjudged: Uint32Array.from(unjudged) }
  }
}
