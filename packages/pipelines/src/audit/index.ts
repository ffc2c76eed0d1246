/** Lists documents that are probably relevant but were never judged. */
export { type AuditAcceptInputs, type AuditAcceptResult, auditAccept } from './audit-accept.ts'
export {
  type AuditEvaluateInputs,
  type AuditEvaluation,
  auditEvaluate,
  type Spread,
} from './audit-evaluate.ts'
export { type AuditInputs, type AuditResult, auditRun } from './audit-run.ts'
export type { AuditFiles } from './audit-sources.ts'
