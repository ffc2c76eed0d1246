import { useEffect, useRef, useState } from 'preact/hooks'
import type { StudioContext } from '../../src/studio-wire.ts'
import type { JobArguments, JobName, JobResult } from './jobs.ts'
import { ask } from './method.ts'

/** What a job gave, and for what: the page may want something newer already. */
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
