import { useEffect, useRef, useState } from 'preact/hooks'
import type { StudioContext } from '../../src/studio-wire.ts'
import type { JobArguments, JobName, JobResult, MethodAnswer, MethodWish } from './method-jobs.ts'
import { startWorker } from './source.ts'
import RankingWorker from './worker.ts?worker&inline'

/** The result of a job, and its inputs: the page may already show newer ones. */
export interface Done<J extends JobName> {
  value: JobResult<J>
  source: StudioContext
  args: JobArguments<J>
}

/** The newest result of a job. While one is being computed, only the latest wish waits. */
export function useMethod<J extends JobName>(
  job: J,
  source: StudioContext | undefined,
  ...args: JobArguments<J>
): { done?: Done<J>; error?: string } {
  const [answer, setAnswer] = useState<{ done?: Done<J>; error?: string }>({})
  const line = useRef<{ busy: boolean; next: (() => void) | undefined }>({
    busy: false,
    next: undefined,
  })
  useEffect(() => {
    if (!source) return
    const { current } = line
    const work = (): void => {
      current.busy = true
      current.next = undefined
      ask(job, source, args)
        .then(
          (value) => setAnswer({ done: { value, source, args } }),
          (error: Error) => setAnswer({ error: error.message }),
        )
        .finally(() => {
          current.busy = false
          current.next?.()
        })
    }
    if (current.busy) current.next = work
    else work()
  }, [job, source, ...args])
  return answer
}

let worker: Worker | undefined
const waiting = new Map<number, (answer: MethodAnswer) => void>()
let sent: StudioContext | undefined
let number = 0

/** Starts the worker, which the page keeps. */
function start(): Worker {
  const started = startWorker(RankingWorker)
  started.onmessage = ({ data }: MessageEvent<MethodAnswer>) => {
    waiting.get(data.number)?.(data)
    waiting.delete(data.number)
  }
  return started
}

/** Has a job done in the worker; the context goes there once. */
function ask<J extends JobName>(
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
