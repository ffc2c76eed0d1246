import { Batches } from '@kith/work'
import { defineCommand } from '../options/command.ts'
import { databaseOption, readDatabase } from '../options/store-options.ts'
import { text } from '../options/values.ts'

/** `kith jobs retry`: another try for jobs that were set aside. */
export const jobsRetryCommand = defineCommand({
  name: 'jobs retry',
  description: 'For when what made them fail is mended, such as a document that was missing.',
  example: 'kith jobs retry --store postgres://localhost/kith --batch mine',
  options: {
    ...databaseOption,
    batch: { value: 'NAME', help: 'the name it was submitted under', required: true },
  },
  async run(values, output) {
    const batches = await Batches.open(readDatabase(values))
    try {
      const jobs = await batches.retry(text(values, 'batch'))
      output.result({ jobs }, `${jobs} jobs are tried again`)
    } finally {
      await batches.close()
    }
  },
})
