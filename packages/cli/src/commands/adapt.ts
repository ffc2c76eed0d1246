import { adaptQueries } from '@kith/pipelines/train'
import { defineCommand } from '../options/command.ts'
import { text } from '../options/values.ts'

/** `kith adapt`: applies a query adapter from `kith train --adapter` to query embeddings. */
export const adaptCommand = defineCommand({
  name: 'adapt',
  description:
    'Applies the query adapter of kith train --adapter to query embeddings of any encoder or API.\n' +
    'Search with the adapted embeddings; the document embeddings do not change.',
  example: 'kith adapt --adapter trained --queries queries.npy --out adapted.npy',
  options: {
    adapter: {
      value: 'FOLDER',
      file: 'input',
      help: 'folder of kith train --adapter, with adapter.safetensors',
      required: true,
    },
    queries: { value: 'FILE', file: 'input', help: 'query embeddings', required: true },
    out: {
      value: 'FILE',
      file: 'output',
      help: 'output file for the adapted embeddings',
      required: true,
    },
  },
  async run(values, output) {
    const result = await adaptQueries({
      adapter: text(values, 'adapter'),
      queries: text(values, 'queries'),
      out: text(values, 'out'),
    })
    output.result(result, `${result.out}: ${result.queries} queries adapted`)
  },
})
