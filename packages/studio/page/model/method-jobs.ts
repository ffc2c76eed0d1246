import type { StudioContext } from '../../src/studio-wire.ts'
import { labelTable } from '../labels/targets.ts'
import { explore } from '../neighborhood/explore.ts'
import { analyze, explain } from './analysis.ts'
import type { PageSettings } from './page-settings.ts'
import { collectionBackground, QueryContext, statisticsFor } from './query-context.ts'

let latest: QueryContext | undefined

/** In the worker of the method: with a thousand candidates, the page would stutter. */
export function doMethod(wish: MethodWish): void {
  if (wish.source) latest = new QueryContext(wish.source)
  void answer(wish, latest!)
}

async function answer({ number, job, args }: MethodWish, context: QueryContext): Promise<void> {
  let message: MethodAnswer
  try {
    const [statistics, background] = await Promise.all([
      statisticsFor(args[0], context.texts),
      collectionBackground(),
    ])
    // From here on nothing waits: no other request sees these statistics.
    context.statistics = statistics
    context.background = background
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

/** The page's request to the method's worker. */
export interface MethodWish {
  number: number
  job: JobName
  args: [PageSettings, ...unknown[]]
  /** The query's context, if it is another one than the last time. */
  source?: StudioContext
}

/** The worker's answer to the request with this number. */
export type MethodAnswer = { number: number } & ({ value: unknown } | { error: string })

/** The jobs of the method's worker with a query's context and the page's settings. */
const jobs = { analyze, explore, explain, labelTable } satisfies Record<
  string,
  (context: QueryContext, page: PageSettings, ...args: never[]) => unknown
>

type Jobs = typeof jobs
export type JobName = keyof Jobs

/** The inputs of a job besides the context; the settings come first. */
export type JobArguments<J extends JobName> =
  Parameters<Jobs[J]> extends [QueryContext, PageSettings, ...infer Rest]
    ? [PageSettings, ...Rest]
    : never

/** The result of a job. */
export type JobResult<J extends JobName> = ReturnType<Jobs[J]>
