import { Worker } from 'node:worker_threads'
import { KithError, type KithErrorCode } from '@kith/core'
import type { TrialBatch, TrialInputs } from './query-trials.ts'

/** What a worker answers, once to each request, in their order. */
export interface Answer {
  values?: Float64Array
  error?: { code: KithErrorCode; message: string }
}

interface Waiting {
  resolve(values: Float64Array): void
  reject(error: Error): void
}

// Tests run on the TypeScript sources, which worker threads of Node 20 do not take.
const entry = new URL(
  import.meta.url.endsWith('.ts') ? '../dist/worker.js' : './worker.js',
  import.meta.url,
)

/** Some queries at work in a thread of their own. */
export class WorkerLane {
  readonly #worker: Worker
  readonly #waiting: Waiting[] = []
  #failure: Error | undefined

  constructor(inputs: TrialInputs) {
    // Flags of the parent's command line, such as --import, are none of the worker's.
    this.#worker = new Worker(entry, { workerData: inputs, execArgv: [] })
    // Nobody waits for what arrives after the end.
    this.#worker.on('message', ({ values, error }: Answer) => {
      const waiting = this.#waiting.shift()
      if (error) waiting?.reject(new KithError(error.code, error.message))
      else waiting?.resolve(values!)
    })
    this.#worker.on('error', (error) => this.#fail(error as Error))
    this.#worker.on('exit', (code) => this.#fail(new Error(`kith: a trial worker ended (${code})`)))
  }

  measure(batch: TrialBatch): Promise<Float64Array> {
    if (this.#failure) return Promise.reject(this.#failure)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#worker.postMessage(batch)
    })
  }

  close(): void {
    this.#fail(new Error('kith: the trials were stopped'))
    void this.#worker.terminate()
  }

  #fail(error: Error): void {
    this.#failure ??= error
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure)
  }
}
