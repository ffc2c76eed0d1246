/** A program of the pool's tests that forgets to close its workers; it has to end all the same. */
import { ProcessWorker, ThreadWorker, WorkerPool } from '@kith/base/pool'

const entry = new URL('./pool-service.mjs', import.meta.url)
for (const Kind of [ThreadWorker, ProcessWorker]) {
  const start = () => new Kind({ entry, data: undefined, job: 'a forgotten worker' })
  const pool = new WorkerPool({ start, size: 2, idle: 600_000 })
  console.log(await pool.run(() => ({ action: 'double', value: 1 })))
}
