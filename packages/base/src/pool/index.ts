/**
 * Internal: the one pool of workers that the packages share. It may change with any version.
 * Worker files import `@kith/base/pool/service`, which loads next to nothing.
 */

export { type ErrorParts, partsOf } from './messages.ts'
export { inBatches, type MapOptions, orderedMap } from './ordered-map.ts'
export { errorFromParts, type PoolWorker, WorkerDied } from './pool-worker.ts'
export type { Service } from './service.ts'
export { type PoolOptions, WorkerPool } from './worker-pool.ts'
export {
  type ProcessDescription,
  ProcessWorker,
  type ThreadDescription,
  ThreadWorker,
  workerEntry,
} from './workers.ts'
