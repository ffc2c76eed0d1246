import { ThreadWorker, WorkerPool, workerEntry } from '@kith/base/pool'
import type { ScannerRecipe } from './exact/scanner.ts'
import { type ScanAnswer, type ScanRequest, ThreadScanner } from './thread-scanner.ts'

/** Starting a thread takes as long as many a search, so that threads wait this long for another. */
const IDLE_MILLISECONDS = 5000

const entry = workerEntry(import.meta.url, 'worker.js')
const pools = new Map<WebAssembly.Module | undefined, WorkerPool<ScanRequest, ScanAnswer>>()

/**
 * Has a search done by scanners in threads of their own. Afterwards the threads wait for another
 * search; if this one failed or was stopped, they end.
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

/** The threads of a kernel. Their number is up to the searches. */
function poolFor(recipe: ScannerRecipe): WorkerPool<ScanRequest, ScanAnswer> {
  const known = pools.get(recipe.module)
  if (known) return known
  const job = 'a search worker'
  const memoryAdvice = 'ask for fewer documents'
  const pool = new WorkerPool<ScanRequest, ScanAnswer>({
    start: () => new ThreadWorker({ entry, data: recipe, job, memoryAdvice }),
    size: Infinity,
    idle: IDLE_MILLISECONDS,
  })
  pools.set(recipe.module, pool)
  return pool
}
