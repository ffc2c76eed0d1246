import { Batches, type BatchProgress } from '@kith/work'
import { defineCommand } from '../options/command.ts'
import { databaseOption, readDatabase } from '../options/store-options.ts'
import { duration, short } from '../terminal/progress.ts'
import { table } from '../terminal/table.ts'

/** `kith jobs`: how far submitted batches are. */
export const jobsCommand = defineCommand({
  name: 'jobs',
  description:
    'For each batch: queries done, queries per second over the last minute, time left, jobs that\n' +
    'are being worked on, and jobs that failed three times and were set aside, with their errors.',
  example: 'kith jobs --store postgres://localhost/kith',
  options: databaseOption,
  async run(values, output) {
    const batches = await Batches.find(readDatabase(values))
    try {
      const list = (await batches?.progress()) ?? []
      output.result(
        list.map(({ settings: _, origin: __, ...rest }) => rest),
        list.length > 0 ? describe(list) : 'no batches',
      )
    } finally {
      await batches?.close()
    }
  },
})

function describe(list: readonly BatchProgress[]): string {
  const rows = list.map(({ name, kind, queries, done, active, failures, rate, secondsLeft }) => [
    name,
    kind,
    `${done} of ${queries}`,
    `${Math.floor((100 * done) / Math.max(1, queries))} %`,
    `${short(rate)}/s`,
    done === queries ? 'done' : secondsLeft === undefined ? '?' : duration(secondsLeft),
    String(active),
    String(failures.length),
  ])
  const head = ['batch', 'kind', 'queries', '', 'rate', 'left', 'active', 'set aside']
  const reasons = list.flatMap(({ name, failures }) =>
    failures.map(({ from, to, message }) => {
      const which = from === undefined ? 'a job' : `queries ${from + 1} to ${to}`
      return `${name}, ${which}: ${message}`
    }),
  )
  return [table([head, ...rows]), ...(reasons.length > 0 ? ['', ...reasons] : [])].join('\n')
}
