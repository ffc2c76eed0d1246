/** The worker thread of `kith rerank`: answers a batch of tasks with their rankings. */
import { parentPort, workerData } from 'node:worker_threads'
import { KithError, type KithErrorCode, type Ranking } from '@kith/core'
import { namedError } from './named-error.ts'
import type { RerankTask } from './rerank-tasks.ts'
import { type RerankInputs, TaskReranker } from './task-reranker.ts'

/** What a worker answers. */
export interface RerankAnswer {
  rankings?: Ranking[]
  error?: { code: KithErrorCode; message: string }
}

const reranker = TaskReranker.open(workerData as RerankInputs)

parentPort!.on('message', async (tasks: RerankTask[]) => {
  let answer: RerankAnswer
  try {
    const ready = await reranker
    answer = { rankings: tasks.map((task) => rerankNamed(ready, task)) }
  } catch (error) {
    if (!(error instanceof KithError)) throw error
    answer = { error: { code: error.code, message: error.message.replace(/^kith: /, '') } }
  }
  parentPort!.postMessage(answer)
})

function rerankNamed(ready: TaskReranker, task: RerankTask): Ranking {
  try {
    return ready.rerank(task)
  } catch (error) {
    throw namedError(error, task)
  }
}
