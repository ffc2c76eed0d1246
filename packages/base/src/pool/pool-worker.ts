import { KithError } from '@kith/core'
import { errorFromParts } from './error-from-parts.ts'
import type { FromWorker } from './messages.ts'
import { type Death, deathError } from './worker-died.ts'

/** Something that answers requests elsewhere: a thread or a process. */
export interface PoolWorker<Request, Answer> {
  /** Why it takes no more requests, once it has died or was closed. */
  readonly failure: Error | undefined
  /** Resolves once the thread or process is gone; never rejects. */
  readonly ended: Promise<void>
  /**
   * Answers a request. Several may be under way: they are done one after the other. If the worker
   * dies, all of them fail.
   *
   * @param transfer Buffers of the request that move to a thread instead of being copied.
   */
  run(request: Request, transfer?: readonly ArrayBuffer[]): Promise<Answer>
  /** Requests without an answer fail at once; resolves when the thread or process is gone. */
  close(reason?: Error): Promise<void>
  /** As `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** The description that every kind of worker needs. */
export interface WorkerDescription {
  /** The built file that it runs, see `workerEntry`. */
  entry: URL
  /** The worker's name in messages, such as `a search worker`. */
  job: string
  /** The advice in the message if its memory ran out; default: `fewer workers need less memory`. */
  memoryAdvice?: string | undefined
}

interface Waiting<Answer> {
  resolve(answer: Answer): void
  reject(error: Error): void
}

/** A worker that is asked by messages, and answers them in their order. */
export abstract class MessageWorker<Request, Answer> implements PoolWorker<Request, Answer> {
  readonly ended: Promise<void>
  readonly #job: string
  readonly #memoryAdvice: string
  readonly #waiting: Waiting<Answer>[] = []
  #failure: Error | undefined
  #closing = false
  #markEnded!: () => void

  constructor({ job, memoryAdvice = 'fewer workers need less memory' }: WorkerDescription) {
    this.#job = job
    this.#memoryAdvice = memoryAdvice
    this.ended = new Promise((resolve) => {
      this.#markEnded = resolve
    })
  }

  get failure(): Error | undefined {
    return this.#failure
  }

  run(request: Request, transfer: readonly ArrayBuffer[] = []): Promise<Answer> {
    if (this.#failure) return Promise.reject(this.#failure)
    return new Promise((resolve, reject) => {
      // Throws, and so rejects, for a request that cannot be copied to the worker.
      this.send(request, transfer)
      this.#waiting.push({ resolve, reject })
      this.keepAlive(true)
    })
  }

  close(reason?: Error): Promise<void> {
    if (!this.#closing) {
      this.#closing = true
      this.#fail(reason ?? new KithError('CLOSED', `${this.#job} was closed`))
      this.keepAlive(true)
      this.end()
    }
    return this.ended
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Sends a request. */
  protected abstract send(request: Request, transfer: readonly ArrayBuffer[]): void
  /** Asks the thread or process to end, which `gone` reports. Called more than once. */
  protected abstract end(): void
  /** Whether this worker keeps the program from ending: only while it works. */
  protected abstract keepAlive(alive: boolean): void

  /** The worker has sent its answer to the first request that waits. */
  protected answered(message: FromWorker<Answer>): void {
    const waiting = this.#waiting.shift()
    if (this.#waiting.length === 0 && !this.#closing) this.keepAlive(false)
    // After `close` no request waits for an answer.
    if ('error' in message) waiting?.reject(errorFromParts(message.error))
    else waiting?.resolve(message.answer)
  }

  /** The worker cannot go on: requests without an answer fail. */
  protected died(death: Death): void {
    if (!this.#failure) this.#fail(deathError(this.#job, this.#memoryAdvice, death))
  }

  /** The thread or process has ended. */
  protected gone(death: Death): void {
    this.died(death)
    this.#markEnded()
  }

  #fail(error: Error): void {
    this.#failure ??= error
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure)
  }
}
