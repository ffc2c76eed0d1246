import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FromWorker } from './messages.ts'
import { MessageWorker, type WorkerDescription } from './pool-worker.ts'

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
    this.#child.channel?.[method]()
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
