/** Batches on many machines: jobs and results in PostgreSQL. */

export type { Batch, BatchFailure, BatchItem, BatchProgress, BatchResult } from './batch.ts'
export { Batches } from './batches.ts'
export {
  type Handler,
  type Patience,
  retryWhileDown,
  type WorkEvent,
  type WorkOptions,
  work,
} from './worker.ts'
