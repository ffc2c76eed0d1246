import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { KithError } from '@kith/core'
import { type JobName, type Jobs, openJob } from './jobs.ts'
import { namedError } from './named-error.ts'
import type { BatchAnswer } from './task-worker.ts'

/** Tasks that a worker gets at a time. */
const BATCH = 64

/** Batches that are under way for each worker, so that none waits for the writer. */
const AHEAD = 4

/** Below this many tasks, starting workers takes longer than the work. */
const FEW = 256

// Tests run on the TypeScript sources, which worker threads of Node 20 do not take.
const entry = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/tasks/task-worker.js' : './task-worker.js',
  import.meta.url,
)

/** How many threads are worth it where nobody asked for a number. */
export function workersFor(tasks: number): number {
  return tasks < FEW ? 1 : availableParallelism()
}

type Done<Name extends JobName> = [task: Jobs[Name]['task'], answer: Jobs[Name]['answer']]
type Tasks<Name extends JobName> = Iterable<Jobs[Name]['task']> | AsyncIterable<Jobs[Name]['task']>

/** Does tasks on several threads; each comes back with its answer, in the order of the tasks. */
export async function* runTasks<Name extends JobName>(
  name: Name,
  inputs: Jobs[Name]['inputs'],
  tasks: Tasks<Name>,
  workers: number,
): AsyncGenerator<Done<Name>> {
  if (workers === 1) yield* runHere(name, inputs, tasks)
  else yield* runInWorkers(name, inputs, tasks, workers)
}

async function* runHere<Name extends JobName>(
  name: Name,
  inputs: Jobs[Name]['inputs'],
  tasks: Tasks<Name>,
): AsyncGenerator<Done<Name>> {
  const job = await openJob(name, inputs)
  try {
    for await (const task of tasks) {
      try {
        yield [task, job.run(task)]
      } catch (error) {
        throw namedError(error, task)
      }
    }
  } finally {
    job.close()
  }
}

async function* runInWorkers<Name extends JobName>(
  name: Name,
  inputs: Jobs[Name]['inputs'],
  tasks: Tasks<Name>,
  workers: number,
): AsyncGenerator<Done<Name>> {
  type Task = Jobs[Name]['task']
  const lanes = Array.from({ length: workers }, () => new Lane<Name>(name, inputs))
  const underWay: { batch: Task[]; answers: Promise<Jobs[Name]['answer'][]> }[] = []
  const batches = inBatches<Task>(tasks)
  let next = 0
  const start = async (): Promise<void> => {
    const { value: batch, done } = await batches.next()
    if (done) return
    const answers = lanes[next++ % workers]!.ask(batch)
    // Awaited in its turn; until then a failure must not count as unhandled.
    answers.catch(() => {})
    underWay.push({ batch, answers })
  }
  try {
    for (let i = 0; i < workers * AHEAD; i++) await start()
    for (let first = underWay.shift(); first; first = underWay.shift()) {
      const answers = await first.answers
      for (const [i, task] of first.batch.entries()) yield [task, answers[i]!]
      await start()
    }
  } finally {
    for (const lane of lanes) lane.close()
    await batches.return(undefined)
  }
}

async function* inBatches<Task>(
  tasks: Iterable<Task> | AsyncIterable<Task>,
): AsyncGenerator<Task[]> {
  let batch: Task[] = []
  for await (const task of tasks) {
    batch.push(task)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** A worker thread that answers batches in their order. */
class Lane<Name extends JobName> {
  readonly #worker: Worker
  #failure: unknown
  readonly #waiting: {
    resolve(answers: Jobs[Name]['answer'][]): void
    reject(error: unknown): void
  }[] = []

  constructor(name: Name, inputs: Jobs[Name]['inputs']) {
    this.#worker = new Worker(entry, { workerData: { name, inputs }, execArgv: [] })
    this.#worker.on('message', ({ answers, error }: BatchAnswer<Name>) => {
      const { resolve, reject } = this.#waiting.shift()!
      if (error) reject(new KithError(error.code, error.message))
      else resolve(answers!)
    })
    this.#worker.on('error', (error) => {
      this.#failure = error
      for (const { reject } of this.#waiting.splice(0)) reject(error)
    })
  }

  ask(tasks: readonly Jobs[Name]['task'][]): Promise<Jobs[Name]['answer'][]> {
    if (this.#failure) return Promise.reject(this.#failure)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#worker.postMessage(tasks)
    })
  }

  close(): void {
    void this.#worker.terminate()
  }
}
