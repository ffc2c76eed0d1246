import { type PoolWorker, ThreadWorker, WorkerPool, workerEntry } from '@kith/base/pool'
import type { Batch, Best, Block, ScannerRecipe } from './exact/scanner.ts'
import type { AsyncScanner } from './scan-blocks.ts'

/** Idle time before threads end: starting a thread can take as long as a whole search. */
const IDLE_MILLISECONDS = 5000

const entry = workerEntry(import.meta.url, 'worker.js')
const pools = new Map<WebAssembly.Module | undefined, WorkerPool<ScanRequest, ScanAnswer>>()

/**
 * Runs a search with scanners in separate threads. Afterwards the threads wait for another search;
 * if this search failed or was aborted, they end.
 */
export async function withScanThreads(
  count: number,
  recipe: ScannerRecipe,
  signal: AbortSignal | undefined,
  search: (scanners: ThreadScanner[]) => Promise<void>,
): Promise<void> {
  const pool = poolFor(recipe)
  const workers = await Promise.all(Array.from({ length: count }, () => pool.acquire()))
  const scanners = workers.map((worker) => new ThreadScanner(worker))
  const stop = (): void => {
    for (const worker of workers) void worker.close()
  }
  signal?.addEventListener('abort', stop)
  try {
    await search(scanners)
    for (const scanner of scanners) scanner.rest()
  } catch (error) {
    stop()
    throw error
  } finally {
    signal?.removeEventListener('abort', stop)
    for (const worker of workers) pool.release(worker)
  }
}

/** Returns the worker pool of a kernel. The searches decide the number of threads. */
function poolFor(recipe: ScannerRecipe): WorkerPool<ScanRequest, ScanAnswer> {
  const known = pools.get(recipe.module)
  if (known) return known
  const job = 'a search worker'
  const memoryAdvice = 'search for fewer documents'
  const pool = new WorkerPool<ScanRequest, ScanAnswer>({
    start: () => new ThreadWorker({ entry, data: recipe, job, memoryAdvice }),
    size: Infinity,
    idle: IDLE_MILLISECONDS,
  })
  pools.set(recipe.module, pool)
  return pool
}

/** A request to a scanning thread. */
export type ScanRequest =
  | { task: 'begin'; batch: Batch }
  | { task: 'scan'; block: SharedBlock }
  | { task: 'finish' }
  | { task: 'rest' }

/** The thread's answer: the best documents for `finish`, undefined for the other requests. */
export type ScanAnswer = Best | undefined

/** The location of a block in shared memory. */
export interface SharedBlock {
  firstRow: number
  /** The buffer's number, and the buffer itself the first time the worker gets it. */
  buffer: number
  shared: SharedArrayBuffer | undefined
  half: boolean
  byteOffset: number
  length: number
}

/** A scanner in a worker thread; blocks must lie in shared memory. */
class ThreadScanner implements AsyncScanner {
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
    // Sending a large buffer with every block would trigger the worker's garbage collection.
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

  /** Tells the thread to release the documents; a dead thread holds none. */
  rest(): void {
    this.#buffers.clear()
    this.#worker.run({ task: 'rest' }).catch(() => {})
  }
}
