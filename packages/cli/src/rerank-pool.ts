import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { KithError, type Ranking } from '@kith/core'
import { namedError } from './named-error.ts'
import type { RerankTask } from './rerank-tasks.ts'
import type { RerankAnswer } from './rerank-worker.ts'
import { type RerankInputs, TaskReranker } from './task-reranker.ts'

/** Tasks that a worker gets at a time. */
const BATCH = 64

/** Batches that are under way for each worker, so that none waits for the writer. */
const AHEAD = 4

/** Below this many tasks, starting workers takes longer than the work. */
const FEW = 256

// Tests run on the TypeScript sources, which worker threads of Node 20 do not take.
const entry = new URL(
  import.meta.url.endsWith('.ts') ? '../dist/rerank-worker.js' : './rerank-worker.js',
  import.meta.url,
)

/** Reranks tasks on several threads; the rankings come in the order of the tasks. */
export async function* rerankAll(
  inputs: RerankInputs,
  tasks: readonly RerankTask[],
  workers = tasks.length < FEW ? 1 : availableParallelism(),
): AsyncGenerator<Ranking> {
  if (workers === 1) yield* rerankHere(inputs, tasks)
  else yield* rerankAbroad(inputs, tasks, workers)
}

async function* rerankHere(
  inputs: RerankInputs,
  tasks: readonly RerankTask[],
): AsyncGenerator<Ranking> {
  const reranker = await TaskReranker.open(inputs)
  try {
    for (const task of tasks) {
      try {
        yield reranker.rerank(task)
      } catch (error) {
        throw namedError(error, task)
      }
    }
  } finally {
    reranker.close()
  }
}

async function* rerankAbroad(
  inputs: RerankInputs,
  tasks: readonly RerankTask[],
  workers: number,
): AsyncGenerator<Ranking> {
  const lanes = Array.from({ length: workers }, () => new Lane(inputs))
  const underWay: Promise<Ranking[]>[] = []
  let next = 0
  const start = (): void => {
    const batch = tasks.slice(next * BATCH, (next + 1) * BATCH)
    if (batch.length === 0) return
    const answer = lanes[next++ % workers]!.ask(batch)
    // Awaited in its turn; until then a failure must not count as unhandled.
    answer.catch(() => {})
    underWay.push(answer)
  }
  try {
    for (let i = 0; i < workers * AHEAD; i++) start()
    for (let answer = underWay.shift(); answer; answer = underWay.shift()) {
      yield* await answer
      start()
    }
  } finally {
    for (const lane of lanes) lane.close()
  }
}

/** A worker thread that answers batches in their order. */
class Lane {
  readonly #worker: Worker
  readonly #waiting: { resolve(rankings: Ranking[]): void; reject(error: unknown): void }[] = []

  constructor(inputs: RerankInputs) {
    this.#worker = new Worker(entry, { workerData: inputs, execArgv: [] })
    this.#worker.on('message', ({ rankings, error }: RerankAnswer) => {
      const { resolve, reject } = this.#waiting.shift()!
      if (error) reject(new KithError(error.code, error.message))
      else resolve(rankings!)
    })
    this.#worker.on('error', (error) => {
      for (const { reject } of this.#waiting.splice(0)) reject(error)
    })
  }

  ask(tasks: readonly RerankTask[]): Promise<Ranking[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#worker.postMessage(tasks)
    })
  }

  close(): void {
    void this.#worker.terminate()
  }
}
