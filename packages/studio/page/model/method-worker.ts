import { jobs } from './jobs.ts'
import type { MethodAnswer, MethodWish } from './method-messages.ts'
import type { PageSettings } from './page-settings.ts'
import { QueryContext } from './query-context.ts'
import { statisticsFor } from './statistics.ts'
import { listen } from './worker-channel.ts'

/** The worker in which the method runs: with a thousand candidates, the page would stutter. */
let latest: QueryContext | undefined

listen<MethodWish>((wish) => {
  if (wish.source) latest = new QueryContext(wish.source)
  void answer(wish, latest!)
})

async function answer({ number, job, args }: MethodWish, context: QueryContext): Promise<void> {
  let message: MethodAnswer
  try {
    const statistics = await statisticsFor(args[0], context.texts)
    // From here on nothing waits: no other request sees these statistics.
    context.statistics = statistics
    const work = jobs[job] as (
      context: QueryContext,
      page: PageSettings,
      ...more: unknown[]
    ) => unknown
    message = { number, value: work(context, ...args) }
  } catch (error) {
    message = { number, error: error instanceof Error ? error.message : String(error) }
  }
  postMessage(message)
}
