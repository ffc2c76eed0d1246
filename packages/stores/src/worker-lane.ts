import { Worker } from 'node:worker_threads'
import type { KithErrorCode } from '@kith/core'
import type { Lane } from './lane.ts'
import { ScanError } from './scan-error.ts'
import type { Batch, Best, Block, ScannerRecipe } from './scanner.ts'

/** What a worker is asked to do; it answers each request once, in their order. */
export type Request =
  | { task: 'begin'; batch: Batch }
  | { task: 'scan'; block: SharedBlock }
  | { task: 'finish' }
  | { task: 'rest' }

/** A block as a place in shared memory. */
export interface SharedBlock {
  firstRow: number
  /** The number of the buffer, and the buffer itself when it is new to the worker. */
  buffer: number
  shared: SharedArrayBuffer | undefined
  half: boolean
  byteOffset: number
  length: number
}

/** What a worker answers. */
export interface Answer {
  best?: Best
  error?: { code: KithErrorCode | undefined; message: string }
}

interface Waiting {
  resolve(answer: Answer): void
  reject(error: Error): void
}

// Tests run on the TypeScript sources, which worker threads of Node 20 do not take.
const entry = new URL(
  import.meta.url.endsWith('.ts') ? '../dist/worker.js' : './worker.js',
  import.meta.url,
)

/** A lane in a worker thread of its own; blocks must lie in shared memory. */
export class WorkerLane implements Lane {
  readonly #worker: Worker
  readonly #waiting: Waiting[] = []
  readonly #buffers = new Map<SharedArrayBuffer, number>()
  #failure: Error | undefined

  constructor(recipe: ScannerRecipe) {
    // Flags of the parent's command line, such as --import, are none of the worker's.
    this.#worker = new Worker(entry, { workerData: recipe, execArgv: [] })
    this.#worker.on('message', (answer: Answer) => {
      // Nobody waits for what arrives after the end.
      const waiting = this.#waiting.shift()
      if (answer.error) waiting?.reject(toError(answer.error))
      else waiting?.resolve(answer)
    })
    this.#worker.on('error', (error) => this.#fail(workerError(error)))
    this.#worker.on('exit', (code) =>
      this.#fail(new Error(`kith: a search worker ended (${code})`)),
    )
  }

  async begin(batch: Batch): Promise<void> {
    await this.#ask({ task: 'begin', batch })
  }

  async scan({ data, firstRow }: Block): Promise<void> {
    const shared = data.buffer as SharedArrayBuffer
    // Sent with every block, a large buffer would set off the worker's garbage collection.
    const known = this.#buffers.get(shared)
    const buffer = known ?? this.#buffers.size
    this.#buffers.set(shared, buffer)
    const { byteOffset, length } = data
    const half = data instanceof Uint16Array
    const place = { firstRow, buffer, half, byteOffset, length }
    const block = { ...place, shared: known === undefined ? shared : undefined }
    await this.#ask({ task: 'scan', block })
  }

  async finish(): Promise<Best> {
    return (await this.#ask({ task: 'finish' })).best!
  }

  /** Forgets the documents, and no longer keeps the process alive. */
  rest(): void {
    this.#buffers.clear()
    this.#ask({ task: 'rest' }).catch(() => {})
    this.#worker.unref()
  }

  /** Ends the rest; false if the worker has died. */
  wake(): boolean {
    this.#worker.ref()
    return this.#failure === undefined
  }

  /** Ends the thread; what is not answered yet fails. */
  close(): void {
    this.#fail(new Error('kith: the search was stopped'))
    void this.#worker.terminate()
  }

  #ask(request: Request): Promise<Answer> {
    if (this.#failure) return Promise.reject(this.#failure)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#worker.postMessage(request)
    })
  }

  #fail(error: Error): void {
    this.#failure ??= error
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure)
  }
}

function toError({ code, message }: NonNullable<Answer['error']>): Error {
  return code ? new ScanError(code, message) : new Error(message)
}

function workerError(error: unknown): Error {
  const { code } = error as { code?: string }
  if (code !== 'ERR_WORKER_OUT_OF_MEMORY') return error as Error
  return new ScanError(
    'OUT_OF_MEMORY',
    'a search worker ran out of memory; ask for fewer documents',
  )
}
