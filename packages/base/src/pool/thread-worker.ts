import { type ResourceLimits, Worker } from 'node:worker_threads'
import type { FromWorker, ThreadData, ToWorker } from './messages.ts'
import { MessageWorker, type WorkerDescription } from './pool-worker.ts'

/** A worker thread to start. */
export interface ThreadDescription<Data> extends WorkerDescription {
  /** The data that the entry's `serveThread` gets; copied, except for shared memory. */
  data: Data
  resourceLimits?: ResourceLimits | undefined
}

/** A worker thread whose entry calls `serveThread`. It ends after its current request, never within one. */
export class ThreadWorker<Data, Request, Answer> extends MessageWorker<Request, Answer> {
  readonly #thread: Worker
  readonly #stop = new Int32Array(new SharedArrayBuffer(4))

  constructor(description: ThreadDescription<Data>) {
    super(description)
    const { entry, data, resourceLimits = {} } = description
    const workerData: ThreadData<Data> = { data, stop: this.#stop }
    // Flags of the parent's command line, such as --import, do not apply to the worker.
    this.#thread = new Worker(entry, { workerData, execArgv: [], resourceLimits })
    this.#thread.on('message', (message: FromWorker<Answer>) => this.answered(message))
    this.#thread.on('messageerror', (error) => {
      // Without the answer, the later ones would go to the wrong requests.
      this.died({ error })
      this.end()
    })
    this.#thread.on('error', (thrown) => {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      const { code } = error as NodeJS.ErrnoException
      this.died({ error, memory: code === 'ERR_WORKER_OUT_OF_MEMORY' })
    })
    this.#thread.on('exit', (exit) => this.gone({ exit }))
    this.#thread.unref()
  }

  protected send(request: Request, transfer: readonly ArrayBuffer[]): void {
    this.#thread.postMessage({ request } satisfies ToWorker<Request>, transfer)
  }

  protected end(): void {
    Atomics.store(this.#stop, 0, 1)
    this.#thread.postMessage('close' satisfies ToWorker<Request>)
  }

  protected keepAlive(alive: boolean): void {
    if (alive) this.#thread.ref()
    else this.#thread.unref()
  }
}
