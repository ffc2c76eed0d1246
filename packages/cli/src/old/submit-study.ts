import type { BatchPart } from '@kith/pipelines/internal'
import { Studies, type Study } from '@kith/work'
import type { Values } from '../options/command.ts'
import { optionalWhole } from '../options/values.ts'
import type { Output } from '../terminal/output.ts'

/** Queries per job: some seconds of work, so that little is lost with a worker. */
const JOB_SIZE = 256

/** Submits a study and says how to go on. */
export async function submitStudy(
  values: Values,
  database: string,
  study: Study,
  parts: AsyncIterable<BatchPart>,
  output: Output,
): Promise<void> {
  const jobSize = optionalWhole(values, 'job-size') ?? JOB_SIZE
  const studies = await Studies.open(database)
  try {
    const { queries, fresh } = await studies.submit(study, parts, jobSize)
    const jobs = Math.ceil(queries / jobSize)
    output.result(
      { study: study.name, queries, jobs, fresh },
      fresh
        ? `${study.name}: ${queries} queries in ${jobs} jobs wait for kith work`
        : `${study.name}: ${queries} queries had been submitted already`,
    )
  } finally {
    await studies.close()
  }
}
