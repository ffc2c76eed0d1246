import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type ResourceLimits, Worker } from 'node:worker_threads'
import type { FromWorker, ThreadStart, ToWorker } from './messages.ts'
import { MessageWorker, type WorkerDescription } from './pool-worker.ts'

/** A worker thread to start. */
export interface ThreadDescription<Data> extends WorkerDescription {
  /** The data that the entry's `serveThread` gets; default: the data of `open`. */
  data?: Data
  /** The name of the work: the thread loads its modules before it has data. */
  work?: string | undefined
  resourceLimits?: ResourceLimits | undefined
}

/** A worker thread whose entry calls `serveThread`. It ends after its current request, never within one. */
export class ThreadWorker<Data, Request, Answer> extends MessageWorker<Request, Answer> {
  readonly #thread: Worker
  readonly #stop = new Int32Array(new SharedArrayBuffer(4))

  constructor(description: ThreadDescription<Data>) {
    super(description)
    const { entry, work, resourceLimits = {} } = description
    const workerData: ThreadStart = { work, stop: this.#stop }
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
    if ('data' in description) this.open(description.data as Data)
  }

  /**
   * Sends the data, which are copied, except for shared memory; before the first request, or when no
   * request waits, to begin other work.
   */
  open(data: Data): this {
    this.#post({ data })
    return this
  }

  protected send(request: Request, transfer: readonly ArrayBuffer[]): void {
    this.#post({ request }, transfer)
  }

  protected end(): void {
    Atomics.store(this.#stop, 0, 1)
    this.#post('close')
  }

  protected keepAlive(alive: boolean): void {
    if (alive) this.#thread.ref()
    else this.#thread.unref()
  }

  #post(message: ToWorker<Data, Request>, transfer: readonly ArrayBuffer[] = []): void {
    this.#thread.postMessage(message, transfer)
  }
}

/** A child process to start. */
export interface ProcessDescription<Data> extends WorkerDescription {
  /** The data that the entry's `serveProcess` gets; copied. */
  data: Data
}

/**
 * A child process whose entry calls `serveProcess`. It can be ended at any moment, also in the
 * middle of a native call, since it shares no memory with this program.
 */
export class ProcessWorker<Data, Request, Answer> extends MessageWorker<Request, Answer> {
  readonly #child: ChildProcess
  #error: Error | undefined

  constructor(description: ProcessDescription<Data>) {
    super(description)
    this.#child = fork(fileURLToPath(description.entry), {
      serialization: 'advanced',
      // Flags of the parent's command line, such as --import, do not apply to the child.
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#child.on('message', (message) => this.answered(message as FromWorker<Answer>))
    this.#child.on('error', (error) => {
      // A process that could not be started has no exit either.
      if (this.#child.pid === undefined) this.gone({ error })
      else this.#broken(error)
    })
    this.#child.on('exit', (code, signal) => {
      // The system ends processes when memory runs out, and V8 ends its own.
      const memory = signal !== null || code !== 0
      this.gone({ exit: signal ?? code ?? 0, error: this.#error, memory })
    })
    this.#post({ data: description.data })
    this.keepAlive(false)
  }

  protected send(request: Request): void {
    this.#post({ request })
  }

  protected end(): void {
    this.#child.kill('SIGKILL')
  }

  protected keepAlive(alive: boolean): void {
    const method = alive ? 'ref' : 'unref'
    this.#child[method]()
    // Bun's channel has neither.
    this.#child.channel?.[method]?.()
  }

  #post(message: { data: Data } | { request: Request }): void {
    this.#child.send(message as object, (error) => {
      if (error) this.#broken(error)
    })
  }

  /** Messages no longer reach the process: it has exited, or has to. */
  #broken(error: Error): void {
    this.#error = error
    this.end()
  }
}

/**
 * The built file of a worker. Tests import the TypeScript sources, which worker threads of Node 20 do
 * not run; `test/global-setup.ts` checks that the build is up to date.
 *
 * @param importer The `import.meta.url` of a module of the same package.
 * @param file Its place in the package's `dist`, such as `tasks/worker.js`.
 */
export function workerEntry(importer: string, file: string): URL {
  return new URL(file, importer.replace(/\/(?:src|dist)\/(?!.*\/(?:src|dist)\/).*$/, '/dist/'))
}
