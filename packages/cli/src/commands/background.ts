import { collectBackground } from '@kith/pipelines/relevance'
import { defineCommand } from '../options/command.ts'
import { datasetOptions } from '../options/dataset-options.ts'
import { readSource, storeOption } from '../options/store-options.ts'
import { optionalText, optionalWhole } from '../options/values.ts'

/** `kith background`: builds the scale on which the relevance of hits is estimated. */
export const backgroundCommand = defineCommand({
  name: 'background',
  description:
    'Samples 1,000 documents, compares them with each other and half of them with all documents.\n' +
    'With the result beside the embeddings, or in the store, kith serve, kith mcp and openCollection\n' +
    'estimate how relevant each hit is, and whether a query is on topic. kith encode and kith load\n' +
    'make a background automatically.',
  example: 'kith background --docs docs.npy',
  dataset: { purpose: 'measure', files: { docs: 'documentEmbeddings' } },
  options: {
    docs: { value: 'FILE', file: 'input', help: 'embeddings of all documents' },
    ...storeOption,
    out: {
      value: 'FILE',
      file: 'output',
      help: 'output file for the background (default: DOCS.background.json)',
    },
    seed: { value: 'N', help: 'random seed of the sample', default: '0' },
    model: datasetOptions.model,
  },
  read: (values) => ({
    ...readSource(values),
    out: optionalText(values, 'out'),
    seed: optionalWhole(values, 'seed', { from: 0, to: 2 ** 32 - 1 }),
  }),
  async run(inputs, output, stop) {
    const made = await stop.untilStopped(
      (signal) => collectBackground(inputs, output.hooks(signal)),
      {
        next: 'nothing was written',
      },
    )
    const { out, documents, dimensions, pairs, nearest } = made
    const shown = ({ mean, deviation }: typeof pairs) =>
      `${mean.toFixed(3)} ± ${deviation.toFixed(3)}`
    output.result(
      { out, documents, dimensions, pairs, nearest },
      `${out}: ${documents} documents, cosine of random pairs ${shown(pairs)}, of nearest neighbors ${shown(nearest)}`,
    )
  },
})
