/** The worker thread of batches: fetches documents from the store and works on their queries. */
import { serveThread } from '@kith/ir/pool/service'
import { type BatchAnswer, type BatchPart, BatchRunner, type BatchWork } from './batch-work.ts'

/** A request to the thread. */
export interface BatchRequest {
  batch: BatchWork
  parts: readonly BatchPart[]
}

serveThread<{ address: string }, BatchRequest, BatchAnswer>(({ address }) => {
  const runner = new BatchRunner(address)
  return {
    run: ({ batch, parts }) => runner.run(batch, parts),
    close: () => runner.close(),
  }
})
