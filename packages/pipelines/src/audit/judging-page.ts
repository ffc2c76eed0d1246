/**
 * Internal: the part of the audit that runs in browsers: the page on which a person judges. `kith audit`
 * writes it as a file, Kith Studio shows it as a view.
 */
export { type AuditEntry, type AuditVoucher, byEvidence } from './audit-entry.ts'
export {
  type JudgedText,
  type JudgingData,
  type JudgingSource,
  startJudging,
} from './judging.ts'
export { judgingStyle } from './judging-style.ts'
