import { Studies } from '@kith/work'
import { defineCommand } from '../options/command.ts'
import { databaseOption, readDatabase } from '../options/store-options.ts'
import { text } from '../options/values.ts'

/** `kith jobs retry`: another try for jobs that were set aside. */
export const jobsRetryCommand = defineCommand({
  name: 'jobs retry',
  summary: 'give the jobs of a study that were set aside another try',
  description: 'For when what made them fail is mended, such as a document that was missing.',
  example: 'kith jobs retry --store postgres://localhost/kith --study mine',
  options: {
    ...databaseOption,
    study: { value: 'NAME', help: 'the name it was submitted under', required: true },
  },
  async run(values, output) {
    const studies = await Studies.open(readDatabase(values))
    try {
      const jobs = await studies.retry(text(values, 'study'))
      output.result({ jobs }, `${jobs} jobs are tried again`)
    } finally {
      await studies.close()
    }
  },
})
