import type { StudioContext } from '../../src/studio-wire.ts'
import type { JobArguments, JobName, JobResult } from './jobs.ts'
import type { MethodAnswer, MethodWish } from './method-messages.ts'
import MethodWorker from './method-worker.ts?worker&inline'
import { startWorker } from './worker-channel.ts'

let worker: Worker | undefined
const waiting = new Map<number, (answer: MethodAnswer) => void>()
let sent: StudioContext | undefined
let number = 0

/** Starts the worker, which the page keeps. */
function start(): Worker {
  const started = startWorker(MethodWorker)
  started.onmessage = ({ data }: MessageEvent<MethodAnswer>) => {
    waiting.get(data.number)?.(data)
    waiting.delete(data.number)
  }
  return started
}

/** Has a job done in the worker; the context goes there once. */
export function ask<J extends JobName>(
  job: J,
  source: StudioContext,
  args: JobArguments<J>,
): Promise<JobResult<J>> {
  worker ??= start()
  const started = worker
  const wish: MethodWish = { number: ++number, job, args }
  if (source !== sent) wish.source = source
  sent = source
  return new Promise((resolve, reject) => {
    waiting.set(wish.number, (answer) => {
      if ('error' in answer) reject(new Error(answer.error))
      else resolve(answer.value as JobResult<J>)
    })
    started.postMessage(wish)
  })
}
