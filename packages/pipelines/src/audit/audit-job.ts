import { auditCandidates, type Finding, type LabelSettings } from '@kith/core'
import { type ContextSources, ContextVectors } from '../join/context-vectors.ts'
import type { Job } from '../tasks/job.ts'
import type { AuditTask } from './audit-tasks.ts'

/** Everything that the audit of queries takes. */
export interface AuditJobInputs extends ContextSources {
  settings: LabelSettings
  level: number
  /** How many documents of a query are listed. */
  perQuery: number
}

/** Audits task after task. */
export async function openAuditJob(inputs: AuditJobInputs): Promise<Job<AuditTask, Finding[]>> {
  const { settings, level, perQuery } = inputs
  const contexts = await ContextVectors.open(inputs)
  return {
    run(task) {
      const [text, ...others] = task.texts ?? []
      const own = { ...settings, level, perQuery }
      return contexts.use(task, ({ vector, vectors }) => {
        const candidates = { vectors, texts: task.texts && others }
        return auditCandidates({ vector, text }, candidates, task.grades, own)
      })
    },
    close: () => contexts.close(),
  }
}
