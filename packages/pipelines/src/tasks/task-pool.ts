import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { inBatches, type PoolWorker, ThreadWorker, WorkerPool, workerEntry } from '@kith/base/pool'
import { KithError, type TokenizerName } from '@kith/core'
import { throwIfAborted } from '@kith/core/internal'
import type { TextEntry } from '@kith/ir'
import type { SharedTexts } from '@kith/ir/internal'
import type { AuditedQuery, AuditSliceInputs } from '../audit/audit-slice.ts'
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

/**
 * Number of batches per worker that are running, or finished and waiting for earlier batches, which
 * may be in a starting thread.
 */
const AHEAD = 16

/** Below this number of tasks, starting workers takes longer than the tasks. */
const FEW = 256

const entry = workerEntry(import.meta.url, 'tasks/task-worker.js')

/** Returns the default number of threads for a number of tasks. */
export function workersFor(tasks: number): number {
  return tasks < FEW ? 1 : availableParallelism()
}

type Done<Name extends JobName> = [task: Jobs[Name]['task'], answer: Jobs[Name]['answer']]
type Tasks<Name extends JobName> = Iterable<Jobs[Name]['task']> | AsyncIterable<Jobs[Name]['task']>

/** Options for running tasks. */
interface TaskOptions {
  signal?: AbortSignal | undefined
  /** Number of tasks that a worker gets at a time; default 64. */
  batch?: number | undefined
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
  { signal, batch = BATCH }: TaskOptions = {},
): AsyncGenerator<Done<Name>> {
  if (workers === 1) yield* runHere(name, inputs, tasks, signal)
  else yield* runInWorkers(name, inputs, inBatches(tasks, batch), workers, signal)
}

async function* runHere<Name extends JobName>(
  name: Name,
  inputs: Jobs[Name]['inputs'],
  tasks: Tasks<Name>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Done<Name>> {
  const job = await openJob(name, inputs)
  try {
    for await (const task of tasks) {
      // Signals and progress need a turn of the event loop.
      await setImmediate()
      throwIfAborted(signal)
      yield [task, job.run(task)]
    }
  } finally {
    await job.close()
  }
}

async function* runInWorkers<Name extends JobName>(
  name: Name,
  inputs: Jobs[Name]['inputs'],
  batches: AsyncIterable<Jobs[Name]['task'][]>,
  workers: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Done<Name>> {
  const data: TaskData<Name> = { name, inputs }
  let threads = 0
  const pool = new WorkerPool<Jobs[Name]['task'][], Jobs[Name]['answer'][]>({
    // Other threads first, since they take a while to start.
    start: () =>
      ++threads < workers
        ? new ThreadWorker({ entry, data, job: `a worker of ${name} tasks` })
        : new SameThreadWorker(openJob(name, inputs)),
    size: workers,
    depth: DEPTH,
  })
  try {
    for await (const [batch, answers] of pool.map(batches, { ahead: AHEAD * workers, signal })) {
      for (const [i, task] of batch.entries()) yield [task, answers[i]!]
    }
  } finally {
    await pool.close()
  }
}

/** The inputs, tasks and answers of each kind of job; all can be sent to a worker thread. */
export interface Jobs {
  prepare: { inputs: { tokenizer: TokenizerName }; task: TextEntry[]; answer: SharedTexts }
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
  prepare: async () => (await import('../join/prepared-texts.ts')).openPrepareJob,
  rerank: async () => (await import('../rerank/rerank-slice.ts')).openRerankSliceJob,
  labels: async () => (await import('../labels/label-slice.ts')).openLabelSliceJob,
  audit: async () => (await import('../audit/audit-slice.ts')).openAuditSliceJob,
}

/** Opens a job with its inputs. */
export async function openJob<Name extends JobName>(
  name: Name,
  inputs: Jobs[Name]['inputs'],
): Promise<Job<Jobs[Name]['task'], Jobs[Name]['answer']>> {
  const open = (await openers[name]()) as Opener<Name>
  return open(inputs)
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
      const job = await this.#job.catch(() => undefined)
      await job?.close()
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
