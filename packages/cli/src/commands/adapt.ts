import { openEmbeddings, writeEmbeddings } from '@kith/ir'
import { writeSidecar } from '@kith/pipelines/internal'
import { defineCommand } from '../options/command.ts'
import { embeddingOptions, readEmbeddingOptions } from '../options/shared-options.ts'
import { text } from '../options/values.ts'

/** `kith adapt`: query embeddings through an adapter that `kith train --adapter` made. */
export const adaptCommand = defineCommand({
  name: 'adapt',
  summary: 'change query embeddings by a trained adapter',
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
    const { openAdapter, QueryEncoder } = await import('@kith/train')
    const [folder, queriesFile, out] = [
      text(values, 'adapter'),
      text(values, 'queries'),
      text(values, 'out'),
    ]
    const model = await openAdapter(folder)
    const queries = await openEmbeddings(queriesFile, readEmbeddingOptions(values))
    const encoder = await QueryEncoder.open(model)
    try {
      const ids = Array.from({ length: queries.rows }, (_, row) => queries.idOf(row))
      const { data } = await encoder.encode(
        ids.map((id, row) => ({ id, vector: queries.read(row, row + 1) })),
      )
      await writeEmbeddings(out, { dimensions: model.dimensions, ids }, [data])
      await writeSidecar(out, 'adapt', { adapter: folder, kind: model.kind }, [queriesFile])
      output.result({ out, queries: ids.length }, `${out}: ${ids.length} queries adapted`)
    } finally {
      await encoder.close()
      await queries.close()
    }
  },
})
