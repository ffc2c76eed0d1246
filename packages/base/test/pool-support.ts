import { type PoolOptions, ProcessWorker, ThreadWorker, WorkerPool } from '../src/pool/index.ts'

/** What the worker of `pool-service.mjs` is asked to do. */
export interface Act {
  action: string
  [field: string]: unknown
}

export const entry = new URL('./pool-service.mjs', import.meta.url)

export const kinds = ['thread', 'process'] as const
export type Kind = (typeof kinds)[number]

/** A worker of either kind. */
export function worker(kind: Kind, data?: object) {
  const description = { entry, data, job: 'a counting worker' }
  return kind === 'thread'
    ? new ThreadWorker<unknown, Act, unknown>(description)
    : new ProcessWorker<unknown, Act, unknown>(description)
}

/** A pool of workers, with how many were started. */
export function poolOf(
  kind: Kind,
  options: Omit<PoolOptions<Act, unknown>, 'start'>,
  data?: object,
): WorkerPool<Act, unknown> & { started(): number } {
  let started = 0
  const start = () => {
    started++
    return worker(kind, data)
  }
  return Object.assign(new WorkerPool<Act, unknown>({ ...options, start }), {
    started: () => started,
  })
}

/** All that an iterable yields. */
export async function collect<T>(things: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const thing of things) list.push(thing)
  return list
}
