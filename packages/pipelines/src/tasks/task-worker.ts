/** The worker thread of the pool: opens a job and answers batches of its tasks. */
import { serveThread } from '@kith/base/pool/service'
import type { Job } from './job.ts'
import { type JobName, type Jobs, loadJob } from './task-pool.ts'

type Inputs = Jobs[JobName]['inputs']
type Task = Jobs[JobName]['task']
type Answer = Jobs[JobName]['answer']

/** The inputs of the job, which come first, or tasks. */
export type TaskRequest = { inputs: Inputs } | Task[]

/** The thread starts with the name of its job. */
serveThread<JobName, TaskRequest, Answer[]>(async (name) => {
  const open = await loadJob(name)
  let job: Promise<Job<Task, Answer>> | undefined
  return {
    async run(request, stopped) {
      if ('inputs' in request) {
        job = open(request.inputs as never) as typeof job
        await job
        return []
      }
      const { run } = (await job)!
      const answers: Answer[] = []
      for (const task of request) {
        if (stopped()) break
        answers.push(run(task))
      }
      return answers
    },
    close: async () => (await job)?.close(),
  }
})
