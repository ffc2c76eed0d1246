/** The worker thread: measures settings on its share of the queries. */
import { parentPort, workerData } from 'node:worker_threads'
import { KithError } from '@kith/core'
import { QueryTrials, type TrialBatch, type TrialInputs } from './query-trials.ts'
import type { Answer } from './worker-lane.ts'

const trials = new QueryTrials(workerData as TrialInputs)

parentPort!.on('message', (batch: TrialBatch) => {
  let answer: Answer
  try {
    const values = new Float64Array(batch.mask.length)
    for (let query = 0; query < trials.queries; query++) trials.measure(query, batch, values)
    answer = { values }
  } catch (error) {
    if (!(error instanceof KithError)) throw error
    answer = { error: { code: error.code, message: error.message.replace(/^kith: /, '') } }
  }
  parentPort!.postMessage(answer, answer.values ? [answer.values.buffer as ArrayBuffer] : [])
})
