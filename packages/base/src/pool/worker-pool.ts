/// <reference lib="esnext.disposable" preserve="true" />

import { KithError } from '@kith/core'
import { abortedError, throwIfAborted } from '@kith/core/internal'
import { onAbort, orderedMap } from './ordered-map.ts'
import type { PoolWorker } from './pool-worker.ts'

/** The workers of a pool, and how many requests they get. */
export interface PoolOptions<Request, Answer> {
  /** Starts a worker; called when work comes, and again to replace a worker that died. */
  start: () => PoolWorker<Request, Answer>
  /** Workers at a time, at most; at least one. */
  size: number
  /**
   * Milliseconds that a request waits for a busy worker before one more is started; default 0: none.
   * For workers whose start takes longer than some requests.
   */
  patience?: number | undefined
  /** Requests that a worker has at a time: one it works on, the others so that it need not wait. Default 1. */
  depth?: number | undefined
  /** Milliseconds after which a worker without work is closed; default: never. */
  idle?: number | undefined
  /** The message of requests that closing the pool left without an answer. */
  closed?: string | undefined
}

interface Member {
  inProgress: number
  end: NodeJS.Timeout | undefined
}

interface Waiting<Worker> {
  resolve(worker: Worker): void
  reject(error: unknown): void
}

/**
 * Workers that share a queue of requests. A worker that dies fails the requests that it had; the
 * pool starts another worker for later requests. Workers without work do not keep the program alive.
 */
export class WorkerPool<Request, Answer> {
  readonly #options: PoolOptions<Request, Answer>
  readonly #members = new Map<PoolWorker<Request, Answer>, Member>()
  /** All workers that have not exited yet, including workers that accept no more requests. */
  readonly #living = new Set<PoolWorker<Request, Answer>>()
  readonly #queue: Waiting<PoolWorker<Request, Answer>>[] = []
  /** Ends the patience of the requests that wait. */
  #impatience: NodeJS.Timeout | undefined
  #closed: Error | undefined

  constructor(options: PoolOptions<Request, Answer>) {
    this.#options = options
  }

  /**
   * Has a request answered by a worker when its turn comes.
   *
   * @param request Makes it then, so that a long queue takes no memory.
   * @param signal Takes it out of the queue. If a worker has it already, only the wait ends.
   */
  async run(request: () => Request, signal?: AbortSignal): Promise<Answer> {
    const worker = await this.acquire(signal)
    const answer = (async () => {
      try {
        throwIfAborted(signal)
        return await worker.run(request())
      } finally {
        this.release(worker)
      }
    })()
    return signal ? untilAborted(answer, signal) : answer
  }

  /**
   * Requests with their answers, in the order of the requests, as many at a time as the workers
   * take; see `orderedMap`.
   *
   * @param ahead Requests that are read and not yet answered to the caller; default: size · depth.
   */
  map(
    requests: Iterable<Request> | AsyncIterable<Request>,
    { ahead, signal }: { ahead?: number | undefined; signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<[request: Request, answer: Answer]> {
    const { size, depth = 1 } = this.#options
    return orderedMap(requests, (request, ended) => this.run(() => request, ended), {
      ahead: Math.max(1, ahead ?? size * depth),
      signal,
    })
  }

  /**
   * A worker for several requests that belong together: with a depth of 1, it gets no other requests
   * until it is released. A worker that was closed meanwhile, or has died, is not used again.
   */
  async acquire(signal?: AbortSignal): Promise<PoolWorker<Request, Answer>> {
    throwIfAborted(signal)
    if (this.#closed) throw this.#closed
    const worker = this.#queue.length === 0 ? this.#pick(!this.#options.patience) : undefined
    if (worker) return worker
    return new Promise((resolve, reject) => {
      const waiting: Waiting<PoolWorker<Request, Answer>> = {
        resolve(found) {
          stay?.()
          resolve(found)
        },
        reject(error) {
          stay?.()
          reject(error)
        },
      }
      const stay =
        signal &&
        onAbort(signal, () => {
          this.#queue.splice(this.#queue.indexOf(waiting), 1)
          waiting.reject(abortedError(signal))
        })
      this.#queue.push(waiting)
      const { patience } = this.#options
      if (patience) this.#impatience ??= setTimeout(() => this.#serveQueue(true), patience).unref()
    })
  }

  /** Gives an acquired worker back. */
  release(worker: PoolWorker<Request, Answer>): void {
    const member = this.#members.get(worker)
    if (member) member.inProgress--
    this.#dropDead()
    const { idle } = this.#options
    if (idle !== undefined && member?.inProgress === 0) {
      member.end = setTimeout(() => this.#retire(worker), idle).unref()
    }
    this.#serveQueue()
  }

  /**
   * Ends the workers: requests without an answer fail at once, and threads finish their current
   * request. Resolves when all have exited.
   */
  async close(): Promise<void> {
    const { closed = 'the pool of workers was closed' } = this.#options
    this.#closed ??= new KithError('CLOSED', closed)
    const reason = this.#closed
    for (const { reject } of this.#queue.splice(0)) reject(reason)
    this.#calm()
    for (const { end } of this.#members.values()) clearTimeout(end)
    this.#members.clear()
    await Promise.all([...this.#living].map((worker) => worker.close(reason)))
  }

  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #serveQueue(impatient = !this.#options.patience): void {
    while (this.#queue.length > 0) {
      let worker: PoolWorker<Request, Answer> | undefined
      try {
        worker = this.#pick(impatient)
      } catch (error) {
        this.#queue.shift()!.reject(error)
        continue
      }
      if (!worker) return
      this.#queue.shift()!.resolve(worker)
    }
    this.#calm()
  }

  /** Nobody waits any more. */
  #calm(): void {
    clearTimeout(this.#impatience)
    this.#impatience = undefined
  }

  /**
   * A worker that has room for a request, if there is one: idle, else new, else the least busy.
   *
   * @param impatient Whether a new one is started although others will be free soon.
   */
  #pick(impatient: boolean): PoolWorker<Request, Answer> | undefined {
    this.#dropDead()
    const { size, depth = 1 } = this.#options
    const most = impatient ? size : 1
    const [least] = [...this.#members].sort(([, a], [, b]) => a.inProgress - b.inProgress)
    const found =
      least && (least[1].inProgress === 0 || this.#members.size >= most) ? least : this.#start()
    const [worker, member] = found
    if (member.inProgress >= depth) return undefined
    clearTimeout(member.end)
    member.inProgress++
    return worker
  }

  #start(): [PoolWorker<Request, Answer>, Member] {
    const worker = this.#options.start()
    const member: Member = { inProgress: 0, end: undefined }
    this.#members.set(worker, member)
    this.#living.add(worker)
    void worker.ended.then(() => this.#living.delete(worker))
    return [worker, member]
  }

  #dropDead(): void {
    for (const [worker, { end }] of this.#members) {
      if (!worker.failure) continue
      clearTimeout(end)
      this.#members.delete(worker)
    }
  }

  #retire(worker: PoolWorker<Request, Answer>): void {
    this.#members.delete(worker)
    void worker.close()
  }
}

/** The outcome of a promise, or an error if a signal is aborted first. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(abortedError(signal))
    const stay = onAbort(signal, () => reject(abortedError(signal)))
    promise.then(resolve, reject).finally(stay)
  })
}
