import { Studies, type Study } from '@kith/work'
import type { BatchPart } from './batch-study.ts'

/** Queries per job: some seconds of work, so that little is lost with a worker. */
const JOB_SIZE = 256

/** Under which name work is submitted, and in how large jobs. */
export interface Submission {
  /** Up to 100 letters, digits, and `.`, `_`, `-`. */
  name: string
  /** Queries per job; default 256. */
  jobSize?: number | undefined
}

/** What was submitted. */
export interface Submitted {
  name: string
  queries: number
  jobs: number
  /** Whether it had not been submitted before. */
  fresh: boolean
}

/** Puts the queries of a study into the database, for `kith work` on any number of machines. */
export async function submitStudy(
  database: string,
  study: Study,
  parts: AsyncIterable<BatchPart>,
  { jobSize = JOB_SIZE }: Submission,
): Promise<Submitted> {
  const studies = await Studies.open(database)
  try {
    const { queries, fresh } = await studies.submit(study, parts, jobSize)
    return { name: study.name, queries, jobs: Math.ceil(queries / jobSize), fresh }
  } finally {
    await studies.close()
  }
}
