import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { KithError } from '@kith/core'
import type { BatchPart, BatchStudy } from './batch-study.ts'
import type { BatchQuestion, BatchReply } from './batch-worker.ts'

// Tests run on the TypeScript sources, which worker threads of Node 20 do not take.
const entry = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/batches/batch-worker.js' : './batch-worker.js',
  import.meta.url,
)

/** Worker threads that do batches, one at a time each. */
export class BatchPool {
  readonly #address: string
  readonly #size: number
  readonly #all = new Set<Worker>()
  readonly #idle: Worker[] = []
  readonly #waiting: ((worker: Worker) => void)[] = []
  readonly #underWay = new Set<Promise<BatchPart[]>>()

  constructor(address: string, size: number) {
    this.#address = address
    this.#size = size
  }

  /** What comes out for each query of a batch. */
  async run(study: BatchStudy, parts: readonly BatchPart[]): Promise<BatchPart[]> {
    const results = this.#run(study, parts)
    this.#underWay.add(results)
    try {
      return await results
    } finally {
      this.#underWay.delete(results)
    }
  }

  /** Batch after batch, several at a time, answered in their order. */
  async *runAll(
    study: BatchStudy,
    batches: AsyncIterable<readonly BatchPart[]>,
  ): AsyncGenerator<{ parts: readonly BatchPart[]; results: BatchPart[] }> {
    const underWay: { parts: readonly BatchPart[]; results: Promise<BatchPart[]> }[] = []
    for await (const parts of batches) {
      const results = this.run(study, parts)
      // Awaited in its turn; until then a failure must not count as unhandled.
      results.catch(() => {})
      underWay.push({ parts, results })
      if (underWay.length <= this.#size) continue
      const first = underWay.shift()!
      yield { parts: first.parts, results: await first.results }
    }
    for (const { parts, results } of underWay) yield { parts, results: await results }
  }

  /**
   * Ends the threads once they have done what they are at: to end one in the middle of a call of
   * LanceDB can take the whole program down with it.
   */
  async close(): Promise<void> {
    await Promise.allSettled(this.#underWay)
    await Promise.all([...this.#all].map(end))
  }

  async #run(study: BatchStudy, parts: readonly BatchPart[]): Promise<BatchPart[]> {
    const worker = await this.#take()
    let broken = true
    try {
      const reply = await ask(worker, study, parts)
      broken = false
      if (reply.parts) return reply.parts
      throw asError(reply.error!)
    } finally {
      if (broken) this.#all.delete(worker)
      this.#give(broken ? undefined : worker)
    }
  }

  async #take(): Promise<Worker> {
    const idle = this.#idle.pop()
    if (idle) return idle
    if (this.#all.size < this.#size) return this.#start()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Takes a worker back, or a new one in the place of one that broke. */
  #give(worker: Worker | undefined): void {
    const next = this.#waiting.shift()
    if (next) next(worker ?? this.#start())
    else if (worker) this.#idle.push(worker)
  }

  #start(): Worker {
    const worker = new Worker(entry, { workerData: { address: this.#address }, execArgv: [] })
    // It must not keep the program alive while it has nothing to do.
    worker.unref()
    this.#all.add(worker)
    return worker
  }
}

/** Asks a thread to close its stores and to end. */
async function end(worker: Worker): Promise<void> {
  worker.ref()
  const ended = once(worker, 'exit')
  worker.postMessage('close' satisfies BatchQuestion)
  await ended
}

function ask(worker: Worker, study: BatchStudy, parts: readonly BatchPart[]): Promise<BatchReply> {
  worker.ref()
  return new Promise<BatchReply>((resolve, reject) => {
    const settle = (end: () => void): void => {
      worker.off('message', onReply).off('error', onError).off('exit', onExit)
      worker.unref()
      end()
    }
    const onReply = (reply: BatchReply): void => settle(() => resolve(reply))
    const onError = (error: Error): void => settle(() => reject(error))
    const onExit = (code: number): void =>
      settle(() => reject(new Error(`a worker thread ended with ${code}`)))
    worker.on('message', onReply).on('error', onError).on('exit', onExit)
    worker.postMessage({ study, parts } satisfies BatchQuestion)
  })
}

/** The error as it was in the thread; its cause tells whether it passes. */
function asError({ code, message, cause }: NonNullable<BatchReply['error']>): KithError {
  const error = new KithError(code, message)
  if (cause) error.cause = Object.assign(new Error(cause.message), cause)
  return error
}
