/** The worker thread of batches: fetches documents from the store and works on their queries. */
import { parentPort, workerData } from 'node:worker_threads'
import { KithError, type KithErrorCode } from '@kith/core'
import { type BatchPart, BatchRunner, type BatchStudy } from './batch-study.ts'

/** What the thread is asked: to do a batch, or to end. */
export type BatchQuestion = { study: BatchStudy; parts: readonly BatchPart[] } | 'close'

/** What the database or the system said; it decides whether the same may succeed later. */
export interface DatabaseCause {
  code: string | undefined
  severity: string | undefined
  message: string
}

/** What it answers. */
export interface BatchReply {
  parts?: BatchPart[]
  error?: {
    code: KithErrorCode
    message: string
    cause: DatabaseCause | undefined
  }
}

const runner = new BatchRunner((workerData as { address: string }).address)

parentPort!.on('message', async (question: BatchQuestion) => {
  if (question === 'close') {
    await runner.close()
    parentPort!.close()
    return
  }
  const { study, parts } = question
  let reply: BatchReply
  try {
    reply = { parts: await runner.run(study, parts) }
  } catch (error) {
    if (!(error instanceof KithError)) throw error
    const cause = error.cause as DatabaseCause | undefined
    reply = {
      error: {
        code: error.code,
        message: error.message.replace(/^kith: /, ''),
        cause: cause && { code: cause.code, severity: cause.severity, message: cause.message },
      },
    }
  }
  parentPort!.postMessage(reply)
})
