/** Works on batches of queries that a queue in PostgreSQL holds, and exports their results. */
export { type ExportInputs, type ExportResult, exportBatch } from './export-batch.ts'
export type { Submission, Submitted } from './submit-batch.ts'
export { type WorkInputs, type WorkResult, workBatches } from './work-batches.ts'
