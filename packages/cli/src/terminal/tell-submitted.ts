import type { Submitted } from '@kith/pipelines'
import type { Output } from './output.ts'

/** Says what was submitted, and what does it. */
export function tellSubmitted(output: Output, { name, queries, jobs, fresh }: Submitted): void {
  output.result(
    { batch: name, queries, jobs, fresh },
    fresh
      ? `${name}: ${queries} queries in ${jobs} jobs wait for kith work`
      : `${name}: ${queries} queries had been submitted already`,
  )
}
