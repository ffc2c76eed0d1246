import type { PoolWorker } from '@kith/base/pool'
import type { AsyncScanner } from './async-scanner.ts'
import type { Batch, Best, Block } from './exact/scanner.ts'

/** A request to a scanning thread. */
export type ScanRequest =
  | { task: 'begin'; batch: Batch }
  | { task: 'scan'; block: SharedBlock }
  | { task: 'finish' }
  | { task: 'rest' }

/** Its answer: the best documents to `finish`, nothing to the other requests. */
export type ScanAnswer = Best | undefined

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

/** A scanner in a worker thread; blocks must lie in shared memory. */
export class ThreadScanner implements AsyncScanner {
  readonly #worker: PoolWorker<ScanRequest, ScanAnswer>
  readonly #buffers = new Map<SharedArrayBuffer, number>()

  constructor(worker: PoolWorker<ScanRequest, ScanAnswer>) {
    this.#worker = worker
  }

  async begin(batch: Batch): Promise<void> {
    await this.#worker.run({ task: 'begin', batch })
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
    await this.#worker.run({ task: 'scan', block })
  }

  async finish(): Promise<Best> {
    return (await this.#worker.run({ task: 'finish' }))!
  }

  /** Makes the thread forget the documents; a thread that has died holds none. */
  rest(): void {
    this.#buffers.clear()
    this.#worker.run({ task: 'rest' }).catch(() => {})
  }
}
