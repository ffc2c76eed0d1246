import { Studies } from '@kith/work'
import { defineCommand } from '../options/command.ts'
import { databaseOption, readDatabase } from '../options/store-options.ts'
import { text } from '../options/values.ts'

/** `kith jobs remove`: a study is no longer needed. */
export const jobsRemoveCommand = defineCommand({
  name: 'jobs remove',
  summary: 'remove a study with its jobs and results',
  description: 'Frees the space in the database, and the name. Documents stay where they are.',
  example: 'kith jobs remove --store postgres://localhost/kith --study mine',
  options: {
    ...databaseOption,
    study: { value: 'NAME', help: 'the name it was submitted under', required: true },
  },
  async run(values, output) {
    const name = text(values, 'study')
    const studies = await Studies.open(readDatabase(values))
    try {
      await studies.remove(name)
      output.result({ removed: name }, `${name}: removed`)
    } finally {
      await studies.close()
    }
  },
})
