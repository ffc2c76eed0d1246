import { labelTable } from '../labels/targets.ts'
import { explore } from '../neighborhood/explore.ts'
import { explain } from '../query/explain.ts'
import { analyze } from './analysis.ts'
import type { PageSettings } from './page-settings.ts'
import type { QueryContext } from './query-context.ts'

/** What the method's worker does with a query's context and the page's settings. */
export const jobs = { analyze, explore, explain, labelTable } satisfies Record<
  string,
  (context: QueryContext, page: PageSettings, ...args: never[]) => unknown
>

export type Jobs = typeof jobs
export type JobName = keyof Jobs

/** The inputs of a job besides the context; the settings come first. */
export type JobArguments<J extends JobName> =
  Parameters<Jobs[J]> extends [QueryContext, PageSettings, ...infer Rest]
    ? [PageSettings, ...Rest]
    : never

/** The result of a job. */
export type JobResult<J extends JobName> = ReturnType<Jobs[J]>
