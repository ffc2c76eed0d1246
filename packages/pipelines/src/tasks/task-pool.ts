import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { findPath } from '@kith/base'
import { inBatches, type PoolWorker, ThreadWorker, WorkerPool, workerEntry } from '@kith/base/pool'
import { KithError } from '@kith/core'
import { throwIfAborted } from '@kith/core/internal'
import type { AuditedQuery, AuditSliceInputs } from '../audit/audit-slice.ts'
import type { PreparedBlock, PrepareInputs, PrepareTask } from '../join/prepare-block.ts'
import type { LabelLayout } from '../labels/label-format.ts'
import type { LabelSliceInputs, LabelSliceTask, SliceResults } from '../labels/label-slice.ts'
import type { QueryLabels } from '../labels/query-labels.ts'
import type { RerankedSlice, RerankSliceInputs } from '../rerank/rerank-slice.ts'
import type { Job } from './job.ts'
import type { SliceTask } from './open-run.ts'
import type { TaskData } from './task-worker.ts'

/** Number of tasks that a worker gets at a time, unless the tasks are large. */
const BATCH = 64

/**
 * Number of batches that a worker has at a time, so that it does not idle while this thread is
 * busy.
 */
const DEPTH = 3

/** Below this number of tasks, starting workers takes longer than the tasks. */
const FEW = 256

/** Runs below this size probably have fewer queries. */
const SMALL = 1 << 19

/** Number of bytes of a run for each thread that starts early: the size of a slice. */
const PER_THREAD = 1 << 17

const entry = workerEntry(import.meta.url, 'tasks/task-worker.js')

/** Returns the default number of threads for a number of tasks. */
export function workersFor(tasks: number): number {
  return tasks < FEW ? 1 : availableParallelism()
}

type Done<Name extends JobName> = [task: Jobs[Name]['task'], answer: Jobs[Name]['answer']]
type Tasks<Name extends JobName> = Iterable<Jobs[Name]['task']> | AsyncIterable<Jobs[Name]['task']>

/** Options for running tasks. */
interface TaskOptions<Name extends JobName> {
  signal?: AbortSignal | undefined
  /** Number of tasks that a worker gets at a time; default 64. */
  batch?: number | undefined
  /**
   * Number of batches per worker that are running, or finished and waiting for earlier batches,
   * which may be in a starting thread; default 16.
   */
  ahead?: number | undefined
  /** Threads that were started before the inputs were known. */
  threads?: EarlyThreads | undefined
  /** A task that each worker gets after all others. */
  last?: Jobs[Name]['task'] | undefined
}

type TaskThread = ThreadWorker<
  TaskData<JobName>,
  Jobs[JobName]['task'][],
  Jobs[JobName]['answer'][]
>

function threadOf(name: JobName): TaskThread {
  return new ThreadWorker({ entry, work: name, job: 'a worker thread' })
}

/** Threads that load the modules of a job while its inputs are read, and that other jobs borrow. */
export class EarlyThreads {
  readonly #idle: TaskThread[]

  private constructor(name: JobName, workers: number) {
    // One of the workers is this thread.
    this.#idle = Array.from({ length: workers - 1 }, () => threadOf(name))
  }

  /** Starts threads for the queries of a run, unless there are probably too few. */
  static forRun(
    name: JobName,
    { run, workers }: { run: string; workers?: number | undefined },
  ): EarlyThreads {
    const { size = 0 } = findPath(run) ?? {}
    const most = size < SMALL ? 1 : Math.ceil(size / PER_THREAD)
    return new EarlyThreads(name, Math.min(workers ?? availableParallelism(), most))
  }

  /** Opens a job in a thread that nobody uses, if there is one. */
  borrow<Name extends JobName>(data: TaskData<Name>): BorrowedThread<Name> | undefined {
    const thread = this.#idle.pop()
    if (!thread || thread.failure) return undefined
    return new BorrowedThread(thread.open(data), () => this.#idle.push(thread))
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    await Promise.all(this.#idle.map((thread) => thread.close()))
  }
}

/** A thread that a job uses for a while. */
class BorrowedThread<Name extends JobName>
  implements PoolWorker<Jobs[Name]['task'][], Jobs[Name]['answer'][]>
{
  readonly ended: Promise<void>
  readonly #thread: TaskThread
  readonly #giveBack: () => void
  #inProgress = 0
  #failure: Error | undefined
  #end!: () => void

  constructor(thread: TaskThread, giveBack: () => void) {
    this.#thread = thread
    this.#giveBack = giveBack
    const given = new Promise<void>((resolve) => {
      this.#end = resolve
    })
    this.ended = Promise.race([given, thread.ended])
  }

  get failure(): Error | undefined {
    return this.#failure ?? this.#thread.failure
  }

  async run(tasks: Jobs[Name]['task'][]): Promise<Jobs[Name]['answer'][]> {
    if (this.#failure) throw this.#failure
    this.#inProgress++
    try {
      return await this.#thread.run(tasks)
    } finally {
      this.#inProgress--
    }
  }

  /** Gives the thread back, or ends it if it is still at work. */
  close(reason?: Error): Promise<void> {
    if (this.failure) return this.ended
    this.#failure = reason ?? new KithError('CLOSED', 'the worker was closed')
    if (this.#inProgress > 0) return this.#thread.close(reason)
    this.#giveBack()
    this.#end()
    return this.ended
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/**
 * Runs tasks on several threads, including this one; yields each task with its answer, in the order
 * of the tasks.
 */
export async function* runTasks<Name extends JobName>(
  name: Name,
  inputs: Jobs[Name]['inputs'],
  tasks: Tasks<Name>,
  workers: number,
  { batch = BATCH, ...options }: TaskOptions<Name> = {},
): AsyncGenerator<Done<Name>> {
  if (workers === 1) yield* runHere(name, inputs, tasks, options)
  else yield* runInWorkers(name, inputs, inBatches(tasks, batch), workers, options)
}

async function* runHere<Name extends JobName>(
  name: Name,
  inputs: Jobs[Name]['inputs'],
  tasks: Tasks<Name>,
  { signal, last }: TaskOptions<Name>,
): AsyncGenerator<Done<Name>> {
  const job = await openJob(name, inputs)
  for await (const task of tasks) {
    // Signals and progress need a turn of the event loop.
    await setImmediate()
    throwIfAborted(signal)
    yield [task, job.run(task)]
  }
  if (last !== undefined) yield [last, job.run(last)]
}

async function* runInWorkers<Name extends JobName>(
  name: Name,
  inputs: Jobs[Name]['inputs'],
  batches: AsyncIterable<Jobs[Name]['task'][]>,
  workers: number,
  { signal, threads, ahead = 16, last }: TaskOptions<Name>,
): AsyncGenerator<Done<Name>> {
  const started: PoolWorker<Jobs[Name]['task'][], Jobs[Name]['answer'][]>[] = []
  const pool = new WorkerPool<Jobs[Name]['task'][], Jobs[Name]['answer'][]>({
    start() {
      // Other threads first, since they take a while to start.
      const worker =
        started.length + 1 < workers
          ? (threads?.borrow({ name, inputs }) ?? threadOf(name).open({ name, inputs }))
          : new SameThreadWorker(openJob(name, inputs))
      started.push(worker)
      return worker
    },
    size: workers,
    depth: DEPTH,
  })
  try {
    for await (const [batch, answers] of pool.map(batches, { ahead: ahead * workers, signal })) {
      for (const [i, task] of batch.entries()) yield [task, answers[i]!]
    }
    if (last === undefined) return
    const answers = await Promise.all(started.map((worker) => worker.run([last])))
    for (const [answer] of answers) yield [last, answer!]
  } finally {
    await pool.close()
  }
}

/** The inputs, tasks and answers of each kind of job; all can be sent to a worker thread. */
export interface Jobs {
  prepare: { inputs: PrepareInputs; task: PrepareTask; answer: PreparedBlock }
  rerank: { inputs: RerankSliceInputs; task: SliceTask; answer: RerankedSlice }
  labels: {
    inputs: LabelSliceInputs & { layout: LabelLayout }
    task: LabelSliceTask
    answer: SliceResults<QueryLabels>
  }
  audit: { inputs: AuditSliceInputs; task: LabelSliceTask; answer: SliceResults<AuditedQuery> }
}

export type JobName = keyof Jobs

type Opener<Name extends JobName> = (
  inputs: Jobs[Name]['inputs'],
) => Promise<Job<Jobs[Name]['task'], Jobs[Name]['answer']>>

/** The openers of jobs; each module is loaded on first use, since a worker runs one kind of job. */
const openers: { [Name in JobName]: () => Promise<Opener<Name>> } = {
  prepare: async () => (await import('../join/prepare-block.ts')).openPrepareJob,
  rerank: async () => (await import('../rerank/rerank-slice.ts')).openRerankSliceJob,
  labels: async () => (await import('../labels/label-slice.ts')).openLabelSliceJob,
  audit: async () => (await import('../audit/audit-slice.ts')).openAuditSliceJob,
}

/** Opens a job with its inputs. */
export async function openJob<Name extends JobName>(
  name: Name,
  inputs: Jobs[Name]['inputs'],
): Promise<Job<Jobs[Name]['task'], Jobs[Name]['answer']>> {
  const open = await loadJob(name)
  return open(inputs)
}

/** Loads the modules of a job. */
export async function loadJob<Name extends JobName>(name: Name): Promise<Opener<Name>> {
  return (await openers[name]()) as Opener<Name>
}

/**
 * A pool worker that runs on this thread, beside the pool's other workers: another thread would
 * load and compile the same modules again. It yields to other work of this thread between tasks.
 */
export class SameThreadWorker<Task, Answer> implements PoolWorker<Task[], Answer[]> {
  readonly ended: Promise<void>
  readonly #job: Promise<Job<Task, Answer>>
  #last: Promise<unknown>
  #failure: Error | undefined
  #end!: () => void

  constructor(job: Promise<Job<Task, Answer>>) {
    this.#job = job
    // Every request fails with the error of a job that cannot be opened.
    this.#last = job.catch(() => {})
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  get failure(): Error | undefined {
    return this.#failure
  }

  run(tasks: Task[]): Promise<Answer[]> {
    const answers = this.#last.then(() => this.#answer(tasks))
    this.#last = answers.catch(() => {})
    return answers
  }

  async close(reason?: Error): Promise<void> {
    if (!this.#failure) {
      this.#failure = reason ?? new KithError('CLOSED', 'the worker was closed')
      await this.#last
      this.#end()
    }
    return this.ended
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #answer(tasks: Task[]): Promise<Answer[]> {
    const answers: Answer[] = []
    const job = await this.#job
    for (const task of tasks) {
      await setImmediate()
      if (this.#failure) throw this.#failure
      answers.push(job.run(task))
    }
    return answers
  }
}
