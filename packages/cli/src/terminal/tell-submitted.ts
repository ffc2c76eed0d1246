import type { Submitted } from '@kith/pipelines/batches'
import type { Output } from './output.ts'

/** Prints the size of a submitted batch, and the command that does its jobs. */
export function tellSubmitted(output: Output, { name, queries, jobs, fresh }: Submitted): void {
  output.result(
    { batch: name, queries, jobs, fresh },
    fresh
      ? `${name}: ${queries} queries in ${jobs} jobs wait for kith work`
      : `${name}: ${queries} queries had been submitted already`,
  )
}
