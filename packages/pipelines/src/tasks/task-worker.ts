/** The worker thread of the pool: answers batches of tasks of one kind of job. */
import { type Service, serveThread } from '@kith/base/pool/service'
import { type JobName, type Jobs, loadJob, openJob } from './task-pool.ts'

/** The start data of the thread. */
export interface TaskData<Name extends JobName> {
  name: Name
  inputs: Jobs[Name]['inputs']
}

type Task = Jobs[JobName]['task']
type Answer = Jobs[JobName]['answer']

const open = async ({ name, inputs }: TaskData<JobName>): Promise<Service<Task[], Answer[]>> => {
  const job = await openJob(name, inputs)
  return {
    run(tasks, stopped) {
      const answers: Answer[] = []
      for (const task of tasks) {
        if (stopped()) break
        answers.push(job.run(task as never))
      }
      return answers
    },
  }
}

serveThread(open, (work) => void loadJob(work as JobName).catch(() => {}))
