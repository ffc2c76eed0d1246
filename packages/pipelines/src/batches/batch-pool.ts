import { ThreadWorker, WorkerPool, workerEntry } from '@kith/base/pool'
import type { RerankParts } from './batch-rerank.ts'
import type { BatchAnswer, BatchPart, BatchWork } from './batch-work.ts'
import type { BatchRequest, BatchWorkerData } from './batch-worker.ts'

const entry = workerEntry(import.meta.url, 'batches/batch-worker.js')

/** Worker threads that process batches, one batch at a time each. */
export class BatchPool {
  readonly #pool: WorkerPool<BatchRequest, BatchAnswer>
  readonly #size: number

  /**
   * @param parts Inputs that all threads share; without statistics, each thread reads them from its
   * store.
   */
  constructor(address: string, size: number, parts: RerankParts = {}) {
    this.#size = size
    const data: BatchWorkerData = { address, parts }
    this.#pool = new WorkerPool({
      start: () => new ThreadWorker({ entry, data, job: 'a worker of batches' }),
      size,
      closed: 'the workers of batches were closed',
    })
  }

  /** Processes one batch on a thread and returns its results. */
  run(batch: BatchWork, parts: readonly BatchPart[]): Promise<BatchAnswer> {
    return this.#pool.run(() => ({ batch, parts }))
  }

  /** Processes batches concurrently; yields the answers in the order of the batches. */
  async *runAll(
    batch: BatchWork,
    batches: AsyncIterable<readonly BatchPart[]>,
    signal?: AbortSignal,
  ): AsyncGenerator<{ parts: readonly BatchPart[]; answer: BatchAnswer }> {
    // One more batch than there are threads, so that no thread idles while results are written.
    const options = { ahead: this.#size + 1, signal }
    for await (const [{ parts }, answer] of this.#pool.map(requests(batch, batches), options)) {
      yield { parts, answer }
    }
  }

  /**
   * Ends the threads after their current batches: ending a thread during a call of LanceDB can
   * crash the whole process.
   */
  close(): Promise<void> {
    return this.#pool.close()
  }

  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

async function* requests(
  batch: BatchWork,
  batches: AsyncIterable<readonly BatchPart[]>,
): AsyncGenerator<BatchRequest> {
  for await (const parts of batches) yield { batch, parts }
}
