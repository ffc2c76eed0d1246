import { setImmediate } from 'node:timers/promises'
import type { PoolWorker } from '@kith/base/pool'
import { KithError } from '@kith/core'
import type { Job } from './job.ts'

/** A worker of a pool that does its tasks in this thread, one batch at a time between other events. */
export class HereWorker<Task, Answer> implements PoolWorker<Task[], Answer[]> {
  /** Batches that waited here would wait while other workers idle. */
  readonly depth = 1
  readonly ended: Promise<void>
  readonly #job: Promise<Job<Task, Answer>>
  #failure: Error | undefined
  #markEnded!: () => void
  #last: Promise<unknown> = Promise.resolve()

  constructor(open: () => Promise<Job<Task, Answer>>) {
    this.#job = open()
    // Each batch fails with the reason.
    this.#job.catch(() => {})
    this.ended = new Promise((resolve) => {
      this.#markEnded = resolve
    })
  }

  get failure(): Error | undefined {
    return this.#failure
  }

  run(tasks: Task[]): Promise<Answer[]> {
    const answers = this.#last.then(() => this.#run(tasks))
    this.#last = answers.catch(() => {})
    return answers
  }

  async close(reason?: Error): Promise<void> {
    if (!this.#failure) {
      this.#failure = reason ?? new KithError('CLOSED', 'the worker of this thread was closed')
      void this.#last
        .then(async () => (await this.#job).close())
        .catch(() => {})
        .then(this.#markEnded)
    }
    return this.ended
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #run(tasks: Task[]): Promise<Answer[]> {
    const job = await this.#job
    const answers: Answer[] = []
    for (const task of tasks) {
      // Messages of other workers, files and timers come first.
      await setImmediate()
      if (this.#failure) throw this.#failure
      answers.push(job.run(task))
    }
    return answers
  }
}
