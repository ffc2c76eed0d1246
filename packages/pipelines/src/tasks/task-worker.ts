/** The worker thread of the pool: answers a batch of tasks of one kind of job. */
import { parentPort, workerData } from 'node:worker_threads'
import { KithError, type KithErrorCode } from '@kith/core'
import { type JobName, type Jobs, openJob } from './jobs.ts'
import { namedError } from './named-error.ts'

/** What a worker answers. */
export interface BatchAnswer<Name extends JobName> {
  answers?: Jobs[Name]['answer'][]
  error?: { code: KithErrorCode; message: string }
}

const { name, inputs } = workerData as { name: JobName; inputs: Jobs[JobName]['inputs'] }
const job = openJob(name, inputs)

parentPort!.on('message', async (tasks: Jobs[JobName]['task'][]) => {
  let answer: BatchAnswer<JobName>
  try {
    const ready = await job
    answer = { answers: tasks.map((task) => runNamed(ready, task)) }
  } catch (error) {
    if (!(error instanceof KithError)) throw error
    answer = { error: { code: error.code, message: error.message.replace(/^kith: /, '') } }
  }
  parentPort!.postMessage(answer)
})

function runNamed(
  ready: Awaited<typeof job>,
  task: Jobs[JobName]['task'],
): Jobs[JobName]['answer'] {
  try {
    return ready.run(task as never)
  } catch (error) {
    throw namedError(error, task)
  }
}
