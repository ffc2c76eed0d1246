import { exportBatch } from '@kith/pipelines/batches'
import { defineCommand } from '../options/command.ts'
import { databaseOption, readDatabase } from '../options/store-options.ts'
import { text } from '../options/values.ts'

/** `kith jobs export`: the results of a finished batch as a file. */
export const jobsExportCommand = defineCommand({
  name: 'jobs export',
  description:
    'Writes what kith rerank or kith labels would have written on one machine, byte for byte.\n' +
    'A batch that is not finished is refused.',
  example: 'kith jobs export --store postgres://localhost/kith --batch mine --out better.trec',
  options: {
    ...databaseOption,
    batch: { value: 'NAME', help: 'the name it was submitted under', required: true },
    out: { value: 'FILE', file: 'output', help: 'the file to write', required: true },
  },
  async run(values, output) {
    const store = readDatabase(values)
    const inputs = { store, name: text(values, 'batch'), out: text(values, 'out') }
    const { out, queries } = await exportBatch(inputs, output.hooks())
    output.result({ out, queries }, `${out}: ${queries} queries`)
  },
})
