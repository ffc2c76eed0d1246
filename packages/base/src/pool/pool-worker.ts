/// <reference lib="esnext.disposable" preserve="true" />

import { KithError, type KithErrorCode } from '@kith/core'
import type { ErrorParts, FromWorker } from './messages.ts'

/** Something that answers requests elsewhere: a thread or a process. */
export interface PoolWorker<Request, Answer> {
  /** Why it takes no more requests, once it has died or was closed. */
  readonly failure: Error | undefined
  /** Resolves once the thread or process has exited; never rejects. */
  readonly ended: Promise<void>
  /**
   * Answers a request. Several may be under way: they are done one after the other. If the worker
   * dies, all of them fail.
   *
   * @param transfer Buffers of the request that move to a thread instead of being copied.
   */
  run(request: Request, transfer?: readonly ArrayBuffer[]): Promise<Answer>
  /** Requests without an answer fail at once; resolves when the thread or process has exited. */
  close(reason?: Error): Promise<void>
  /** Same as `close`, for `await using`. */
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

  constructor({ job, memoryAdvice = 'use fewer workers' }: WorkerDescription) {
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
  /** Asks the thread or process to end, which `gone` reports. May be called more than once. */
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

  /** The worker cannot continue: requests without an answer fail. */
  protected died(death: WorkerExit): void {
    if (!this.#failure) this.#fail(exitError(this.#job, this.#memoryAdvice, death))
  }

  /** The thread or process has ended. */
  protected gone(death: WorkerExit): void {
    this.died(death)
    this.#markEnded()
  }

  #fail(error: Error): void {
    this.#failure ??= error
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure)
  }
}

/** A worker ended by itself and left work undone. `cause` is the error that ended it, if there was one. */
export class WorkerDied extends KithError {
  constructor(message: string, options?: ErrorOptions) {
    super('WORKER_DIED', message, options)
  }
}

/** How a worker ended. */
interface WorkerExit {
  /** Exit code, or the name of a signal; undefined while only the error is known. */
  exit?: number | string | undefined
  /** An error that was thrown outside of a request. */
  error?: Error | undefined
  /** Whether memory ran out, or may well have. */
  memory?: boolean
}

/**
 * The error of the requests that a dead worker has not answered.
 *
 * @param job The worker's name in messages, such as `a search worker`.
 * @param advice The advice in the message if memory ran out.
 */
function exitError(job: string, advice: string, { exit, error, memory }: WorkerExit): KithError {
  const options = error && { cause: error }
  if (memory) {
    const how = exit === undefined ? 'ran out of memory' : `ended (${exit})`
    return new KithError('OUT_OF_MEMORY', `${job} ${how}; ${advice}`, options)
  }
  if (error) return new WorkerDied(`${job} failed: ${error.message}`, options)
  const how = typeof exit === 'number' ? `with exit code ${exit}` : `by ${exit}`
  return new WorkerDied(`${job} ended ${how} before its work was done`)
}

/**
 * The error that a worker has thrown, made again in the caller's thread. Errors of the library are
 * `KithError`s again, with their fields; others keep their name, fields and the worker's stack.
 */
export function errorFromParts({ name, message, stack, fields, cause }: ErrorParts): Error {
  const error =
    name === 'KithError'
      ? Object.assign(
          new KithError(fields['code'] as KithErrorCode, message.replace(/^kith: /, '')),
          fields,
        )
      : Object.assign(new Error(message), { ...fields, name })
  if (stack !== undefined && name !== 'KithError') error.stack = stack
  if (cause) error.cause = errorFromParts(cause)
  return error
}
