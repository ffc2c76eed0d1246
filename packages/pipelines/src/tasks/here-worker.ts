import { setImmediate } from 'node:timers/promises'
import type { PoolWorker } from '@kith/base/pool'
import { KithError } from '@kith/core'
import type { Job } from './job.ts'

/**
 * A worker of a pool that works on this thread, beside the pool's others: a thread more would load and
 * compile the same modules once more. Between two tasks it lets this thread do everything else.
 */
export class HereWorker<Task, Answer> implements PoolWorker<Task[], Answer[]> {
  readonly ended: Promise<void>
  readonly #job: Promise<Job<Task, Answer>>
  #last: Promise<unknown>
  #failure: Error | undefined
  #end!: () => void

  constructor(job: Promise<Job<Task, Answer>>) {
    this.#job = job
    // Each request fails with the error of a job that cannot be opened.
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
