/**
 * Internal: the one pool of workers that the packages share. It may change with any version.
 * Worker files import `@kith/base/pool/service`, which loads next to nothing.
 */

export { errorFromParts } from './error-from-parts.ts'
export { type ErrorParts, partsOf } from './error-parts.ts'
export { inBatches } from './in-batches.ts'
export { type MapOptions, orderedMap } from './ordered-map.ts'
export type { PoolWorker } from './pool-worker.ts'
export { type ProcessDescription, ProcessWorker } from './process-worker.ts'
export type { Service } from './service.ts'
export { type ThreadDescription, ThreadWorker } from './thread-worker.ts'
export { WorkerDied } from './worker-died.ts'
export { workerEntry } from './worker-entry.ts'
export { type PoolOptions, WorkerPool } from './worker-pool.ts'
