import { KithError } from '@kith/core'

/** Some queries of a batch: those from one place up to another. */
export interface JobData {
  batch: number
  from: number
  to: number
}

/** A taken job as the database has it, unchecked. */
export interface TakenJob {
  id: string
  data: unknown
}

/** The largest number that the tables of batches hold. */
const LARGEST = 2 ** 31 - 1

/** The end of the ids of a batch's jobs, by which they are found whatever became of their data. */
export function idEnd(batch: number): string {
  return hex(batch, 12)
}

/** The same job always has the same id; ids sort as the jobs of a batch do. */
export function idOf(batch: number, job: number): string {
  return `${hex(job, 8)}-0000-4000-8000-${idEnd(batch)}`
}

/** The queries that a job names; undefined where its data are not those of a job of `kith`. */
export function readJob({ id, data }: TakenJob): JobData | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const { batch, from, to } = data as Record<string, unknown>
  const whole = [batch, from, to].every(
    (value) =>
      Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= LARGEST,
  )
  if (!whole) return undefined
  const job = data as JobData
  return job.from < job.to && id.endsWith(`-${idEnd(job.batch)}`) ? job : undefined
}

/** The queries that a job names; a job that was changed in the database is an error. */
export function checkJob(job: TakenJob): JobData {
  const data = readJob(job)
  if (data) return data
  throw new KithError(
    'BAD_INPUT',
    `the database's row of this job was changed: its data are ${JSON.stringify(job.data)?.slice(0, 200)}, expected its batch and the first and last of its queries (kith jobs remove, then submit again)`,
  )
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}
