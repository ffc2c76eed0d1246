import { Batches } from '@kith/work'
import { defineCommand } from '../options/command.ts'
import { databaseOption, readDatabase } from '../options/store-options.ts'
import { text } from '../options/values.ts'

/** `kith jobs remove`: a batch is no longer needed. */
export const jobsRemoveCommand = defineCommand({
  name: 'jobs remove',
  description: 'Frees the space in the database, and the name. Documents stay where they are.',
  example: 'kith jobs remove --store postgres://localhost/kith --batch mine',
  options: {
    ...databaseOption,
    batch: { value: 'NAME', help: 'the name it was submitted under', required: true },
  },
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
