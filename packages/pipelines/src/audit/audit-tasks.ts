import { type LabelPlan, type LeftOut, labelTasks } from '../label/label-tasks.ts'
import type { AuditTask } from './audit-job.ts'

/** Label tasks that know which of their documents nobody has judged. */
export async function* auditTasks(plan: LabelPlan, leftOut: LeftOut): AsyncGenerator<AuditTask> {
  for await (const task of labelTasks(plan, leftOut)) {
    const judged = plan.qrels.get(task.query)!
    const unjudged: number[] = []
    task.rows.forEach((row, document) => {
      // A negative grade is no judgement.
      if (!((judged.get(plan.docs.idOf(row)) ?? -1) >= 0)) unjudged.push(document)
    })
    yield { ...task, unjudged: Uint32Array.from(unjudged) }
  }
}
