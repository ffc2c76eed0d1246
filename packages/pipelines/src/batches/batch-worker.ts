/** The worker thread of batches: fetches documents from the store and processes their queries. */

import { serveThread } from '@kith/base/pool/service'
import type { RerankParts } from './batch-rerank.ts'
import { type BatchAnswer, type BatchPart, BatchRunner, type BatchWork } from './batch-work.ts'

/** The start data of the thread. */
export interface BatchWorkerData {
  address: string
  parts: RerankParts
}

/** A request to the thread. */
export interface BatchRequest {
  batch: BatchWork
  parts: readonly BatchPart[]
}

serveThread<BatchWorkerData, BatchRequest, BatchAnswer>(({ address, parts }) => {
  const runner = new BatchRunner(address, parts)
  return {
    run: ({ batch, parts }) => runner.run(batch, parts),
    close: () => runner.close(),
  }
})
