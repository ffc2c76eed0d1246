/**
 * Internal: the side of the pool that runs in worker threads and child processes. It loads neither
 * @kith/core nor the rest of this package, so that workers start as fast as their own work allows.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { type FromWorker, partsOf, type ThreadStart, type ToWorker } from './messages.ts'

/** Milliseconds that a thread gets to end by itself after it has closed what it opened. */
const GRACE = 1000

/** The work of a worker. */
export interface Service<Request, Answer> {
  /**
   * Answers a request; requests come one after the other. An error that it throws fails only this
   * request: the worker continues with the next one.
   *
   * @param stopped Whether the worker was closed meanwhile: long work ends early then, and its
   * answer is dropped.
   */
  run(request: Request, stopped: () => boolean): Answer | Promise<Answer>
  /** Buffers of an answer that move to the other thread instead of being copied. */
  transfer?(answer: Answer): ArrayBuffer[]
  /** Closes what it opened, after the last request. */
  close?(): void | Promise<void>
}

type Open<Data, Request, Answer> = (
  data: Data,
) => Service<Request, Answer> | Promise<Service<Request, Answer>>

/**
 * Makes this thread a worker that a `ThreadWorker` can ask.
 *
 * @param open Makes the work from the data. If that fails, each request fails with the reason.
 * @param prepare Called at once with the name of the work, if the thread was started with one.
 */
export function serveThread<Data, Request, Answer>(
  open: Open<Data, Request, Answer>,
  prepare?: (work: string) => void,
): void {
  const port = parentPort!
  const { work, stop } = workerData as ThreadStart
  const stopped = (): boolean => Atomics.load(stop, 0) !== 0
  const queueOf = (service: Promise<Service<Request, Answer>>): RequestQueue<Request, Answer> =>
    new RequestQueue(service, stopped, (message, buffers) => port.postMessage(message, buffers))
  let queue: RequestQueue<Request, Answer> | undefined
  const end = (): void => {
    port.close()
    // Sockets or timers that the work left behind must not keep the thread alive.
    setTimeout(() => process.exit(), GRACE).unref()
  }
  port.on('message', (message: ToWorker<Data, Request>) => {
    if (message === 'close') queue ? queue.end(end) : end()
    else if ('data' in message) {
      // Other work begins: the work before it is closed.
      queue?.end(() => {})
      queue = queueOf(opened(open, message.data))
    } else queue!.add(() => message.request)
  })
  port.on('messageerror', (error) => {
    const failed = (): never => {
      throw error
    }
    if (queue) queue.add(failed)
    else queue = queueOf(opened(failed, undefined))
  })
  if (work !== undefined) prepare?.(work)
}

/**
 * Makes this process a worker that a `ProcessWorker` can ask. Its first message is the data that
 * `open` makes the work from. It lives as long as its parent, which also decides what a signal
 * to both of them means.
 */
export function serveProcess<Data, Request, Answer>(open: Open<Data, Request, Answer>): void {
  let queue: RequestQueue<Request, Answer> | undefined
  process.on('message', (message: { data: Data } | { request: Request }) => {
    if ('request' in message) queue!.add(() => message.request)
    else {
      queue = new RequestQueue(
        opened(open, message.data),
        () => false,
        // The callback takes the error of a parent that has exited.
        (answer) => process.send?.(answer, undefined, undefined, () => {}),
      )
    }
  })
  process.on('disconnect', () => process.exit())
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {})
}

/** The work of a worker. If it cannot be opened, each request fails with the reason. */
function opened<Data, Request, Answer>(
  open: Open<Data, Request, Answer>,
  data: Data,
): Promise<Service<Request, Answer>> {
  const service = Promise.resolve(data).then(open)
  service.catch(() => {})
  return service
}

/** Requests that are answered one after the other, in their order. */
class RequestQueue<Request, Answer> {
  readonly #service: Promise<Service<Request, Answer>>
  readonly #stopped: () => boolean
  readonly #send: (message: FromWorker<Answer>, buffers: ArrayBuffer[]) => void
  #last: Promise<void> = Promise.resolve()

  constructor(
    service: Promise<Service<Request, Answer>>,
    stopped: () => boolean,
    send: (message: FromWorker<Answer>, buffers: ArrayBuffer[]) => void,
  ) {
    this.#service = service
    this.#stopped = stopped
    this.#send = send
  }

  add(request: () => Request): void {
    this.#last = this.#last.then(() => this.#answer(request))
  }

  /** Closes the work after the requests before, also if closing fails. */
  end(then: () => void): void {
    this.#last = this.#last
      .then(async () => (await this.#service).close?.())
      .catch(() => {})
      .then(then)
  }

  async #answer(request: () => Request): Promise<void> {
    if (this.#stopped()) return
    try {
      const service = await this.#service
      const answer = await service.run(request(), this.#stopped)
      this.#send({ answer }, service.transfer?.(answer) ?? [])
    } catch (error) {
      this.#send({ error: partsOf(error) }, [])
    }
  }
}
