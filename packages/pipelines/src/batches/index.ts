/** Processes batches of queries from a queue in PostgreSQL, and exports their results. */
export { type ExportInputs, type ExportResult, exportBatch } from './export-batch.ts'
export type { Submission, Submitted } from './submit-batch.ts'
export { type WorkInputs, type WorkResult, workBatches } from './work-batches.ts'
