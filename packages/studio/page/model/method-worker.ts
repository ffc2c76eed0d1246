import { jobs } from './jobs.ts'
import type { MethodAnswer, MethodWish } from './method-messages.ts'
import { QueryContext } from './query-context.ts'

/** The worker in which the method runs: with a thousand candidates, the page would stutter. */
let context: QueryContext | undefined

addEventListener('message', ({ data }: MessageEvent<MethodWish>) => {
  const { number, job, args, source } = data
  if (source) context = new QueryContext(source)
  let answer: MethodAnswer
  try {
    const work = jobs[job] as (context: QueryContext, ...args: unknown[]) => unknown
    answer = { number, value: work(context!, ...args) }
  } catch (error) {
    answer = { number, error: error instanceof Error ? error.message : String(error) }
  }
  postMessage(answer)
})
