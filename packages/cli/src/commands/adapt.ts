import { adaptQueries } from '@kith/pipelines/train'
import { defineCommand } from '../options/command.ts'
import { embeddingOptions, readEmbeddingOptions } from '../options/shared-options.ts'
import { text } from '../options/values.ts'

/** `kith adapt`: query embeddings through an adapter that `kith train --adapter` made. */
export const adaptCommand = defineCommand({
  name: 'adapt',
  description:
    'Applies what kith train --adapter has learned to embeddings of queries, whichever encoder or\n' +
    'API they came from. Search with the result; the documents stay as they are.',
  example: 'kith adapt --adapter trained --queries queries.npy --out adapted.npy',
  options: {
    adapter: { value: 'FOLDER', file: 'input', help: 'with adapter.safetensors', required: true },
    queries: { value: 'FILE', file: 'input', help: 'embeddings of the queries', required: true },
    out: { value: 'FILE', file: 'output', help: 'the embeddings to write', required: true },
    ...embeddingOptions,
  },
  async run(values, output) {
    const result = await adaptQueries({
      ...readEmbeddingOptions(values),
      adapter: text(values, 'adapter'),
      queries: text(values, 'queries'),
      out: text(values, 'out'),
    })
    output.result(result, `${result.out}: ${result.queries} queries adapted`)
  },
})
