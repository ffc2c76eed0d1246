import { exportBatch } from '@kith/pipelines/batches'
import { Batches, type BatchProgress } from '@kith/work'
import { defineCommand, type Options } from '../options/command.ts'
import { databaseOption, readDatabase } from '../options/store-options.ts'
import { text } from '../options/values.ts'
import { table } from '../terminal/output.ts'
import { duration, short } from '../terminal/progress.ts'

/** `kith jobs`: shows the progress of submitted batches. */
export const jobsCommand = defineCommand({
  name: 'jobs',
  description:
    'Shows for each batch: queries done, queries per second over the last minute, time left, running\n' +
    'jobs, and jobs that failed three times, with their errors.',
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
  const head = ['batch', 'kind', 'queries', '', 'rate', 'left', 'active', 'failed']
  const reasons = list.flatMap(({ name, failures }) =>
    failures.map(({ from, to, message }) => {
      const which = from === undefined ? 'a job' : `queries ${from + 1} to ${to}`
      return `${name}, ${which}: ${message}`
    }),
  )
  return [table([head, ...rows]), ...(reasons.length > 0 ? ['', ...reasons] : [])].join('\n')
}

/** The option that names a batch. */
const batchOptions = {
  ...databaseOption,
  batch: { value: 'NAME', help: 'name of the batch, as given to --submit', required: true },
} satisfies Options

/** `kith jobs export`: writes the results of a finished batch to a file. */
export const jobsExportCommand = defineCommand({
  name: 'jobs export',
  description:
    'Writes the file that kith rerank or kith labels would have written on one machine, byte for byte.\n' +
    'Refuses a batch that is not finished.',
  example: 'kith jobs export --store postgres://localhost/kith --batch mine --out better.trec',
  options: {
    ...batchOptions,
    out: { value: 'FILE', file: 'output', help: 'output file', required: true },
  },
  async run(values, output) {
    const store = readDatabase(values)
    const inputs = { store, name: text(values, 'batch'), out: text(values, 'out') }
    const { out, queries } = await exportBatch(inputs, output.hooks())
    output.result({ out, queries }, `${out}: ${queries} queries`)
  },
})

/** `kith jobs retry`: retries failed jobs. */
export const jobsRetryCommand = defineCommand({
  name: 'jobs retry',
  description:
    'Runs jobs again that failed three times. Fix the cause first, such as a missing document.',
  example: 'kith jobs retry --store postgres://localhost/kith --batch mine',
  options: batchOptions,
  async run(values, output) {
    const batches = await Batches.open(readDatabase(values))
    try {
      const jobs = await batches.retry(text(values, 'batch'))
      output.result({ jobs }, `${jobs} jobs will be retried`)
    } finally {
      await batches.close()
    }
  },
})

/** `kith jobs remove`: removes a batch. */
export const jobsRemoveCommand = defineCommand({
  name: 'jobs remove',
  description: 'Frees the batch’s space in the database and its name. Documents are not removed.',
  example: 'kith jobs remove --store postgres://localhost/kith --batch mine',
  options: batchOptions,
  async run(values, output) {
    const name = text(values, 'batch')
    const batches = await Batches.open(readDatabase(values))
    try {
      await batches.remove(name)
      output.result({ removed: name }, `${name}: removed`)
    } finally {
      await batches.close()
    }
  },
})
