/** The worker thread of batches: fetches documents from the store and works on their queries. */
import { serveThread } from '@kith/ir/pool/service'
import { type BatchAnswer, type BatchPart, BatchRunner, type BatchStudy } from './batch-study.ts'

/** What the thread is asked. */
export interface BatchRequest {
  study: BatchStudy
  parts: readonly BatchPart[]
}

serveThread<{ address: string }, BatchRequest, BatchAnswer>(({ address }) => {
  const runner = new BatchRunner(address)
  return {
    run: ({ study, parts }) => runner.run(study, parts),
    close: () => runner.close(),
  }
})
