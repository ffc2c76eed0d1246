import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { KithError } from '@kith/core'
import type { SessionSource, TokenBatch } from './session.ts'
import type { Answer, Request } from './session-process.ts'

interface Waiting {
  resolve(rows: Float32Array): void
  reject(error: Error): void
}

// Tests run on the TypeScript sources, which Node 20 does not take.
const entry = new URL(
  import.meta.url.endsWith('.ts') ? '../dist/session-process.js' : './session-process.js',
  import.meta.url,
)

/**
 * A process with a session of its own. onnxruntime blocks the thread that it runs on,
 * and a worker thread that is ended meanwhile takes the whole program down with it.
 */
export class Lane {
  readonly #child: ChildProcess
  #waiting: Waiting | undefined
  #failure: Error | undefined

  constructor(source: SessionSource, threads: number) {
    this.#child = fork(fileURLToPath(entry), {
      serialization: 'advanced',
      // Flags of the parent's command line, such as --import, are none of the child's.
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#child.on('message', (answer: Answer) => this.#hear(answer))
    this.#child.on('error', (error) => this.#fail(error))
    this.#child.on('exit', (code, signal) => {
      const problem = `an encoder process ended (${signal ?? code}); was there too little memory?`
      this.#fail(new KithError('OUT_OF_MEMORY', problem))
    })
    this.#send({ source, threads })
    this.#keepAlive(false)
  }

  /** Encodes a batch; one at a time. */
  async run(batch: TokenBatch): Promise<Float32Array> {
    if (this.#failure) throw this.#failure
    this.#keepAlive(true)
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#send(batch)
    })
  }

  /** Ends the process; what it was working on fails. */
  close(): void {
    this.#fail(new KithError('BAD_INPUT', 'the encoder was closed'))
    this.#child.kill('SIGKILL')
  }

  #send(request: Request): void {
    this.#child.send(request, (error) => {
      if (error) this.#fail(error)
    })
  }

  #hear(answer: Answer): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    this.#keepAlive(false)
    if ('rows' in answer) waiting?.resolve(answer.rows)
    else {
      const { code, message } = answer.error
      waiting?.reject(code ? new KithError(code, message) : new Error(`kith: ${message}`))
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error
    this.#waiting?.reject(this.#failure)
    this.#waiting = undefined
  }

  /** Only a lane that works keeps the program from ending. */
  #keepAlive(alive: boolean): void {
    const method = alive ? 'ref' : 'unref'
    this.#child[method]()
    this.#child.channel?.[method]()
  }
}
