/** The worker thread of batches: fetches documents from the store and works on their queries. */

import { serveThread } from '@kith/base/pool/service'
import type { TermStatistics } from '@kith/core'
import { type BatchAnswer, type BatchPart, BatchRunner, type BatchWork } from './batch-work.ts'

/** The data that the thread is started with. */
export interface BatchWorkerData {
  address: string
  statistics: TermStatistics | undefined
}

/** A request to the thread. */
export interface BatchRequest {
  batch: BatchWork
  parts: readonly BatchPart[]
}

serveThread<BatchWorkerData, BatchRequest, BatchAnswer>(({ address, statistics }) => {
  const runner = new BatchRunner(address, statistics)
  return {
    run: ({ batch, parts }) => runner.run(batch, parts),
    close: () => runner.close(),
  }
})
