import { KithError } from '@kith/core'

/** Some queries of a study: those from one place up to another. */
export interface JobData {
  study: number
  from: number
  to: number
}

/** A job that somebody has taken, as the database has it: nothing of it is checked yet. */
export interface TakenJob {
  id: string
  data: unknown
}

/** The largest number that the tables of studies hold. */
const LARGEST = 2 ** 31 - 1

/** The end of the ids of a study's jobs, by which they are found whatever became of their data. */
export function idEnd(study: number): string {
  return hex(study, 12)
}

/** The same job always has the same id; ids sort as the jobs of a study do. */
export function idOf(study: number, job: number): string {
  return `${hex(job, 8)}-0000-4000-8000-${idEnd(study)}`
}

/** What a job says is to be done; undefined where that is not what `kith` puts into a job. */
export function readJob({ id, data }: TakenJob): JobData | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const { study, from, to } = data as Record<string, unknown>
  const whole = [study, from, to].every(
    (value) =>
      Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= LARGEST,
  )
  if (!whole) return undefined
  const job = data as JobData
  return job.from < job.to && id.endsWith(`-${idEnd(job.study)}`) ? job : undefined
}

/** The same; a job that somebody has changed is an error. */
export function checkJob(job: TakenJob): JobData {
  const data = readJob(job)
  if (data) return data
  throw new KithError(
    'BAD_INPUT',
    `the database's row of this job was changed: its data are ${JSON.stringify(job.data)?.slice(0, 200)}, expected its study and the first and last of its queries (kith jobs remove, then submit again)`,
  )
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}
