import { jobDefaults } from '@kith/pipelines/job'
import { searchRun } from '@kith/pipelines/search'
import { defineCommand, rare } from '../options/command.ts'
import { datasetOptions } from '../options/dataset-options.ts'
import { embeddingOptions, readEmbeddingOptions, workerOption } from '../options/shared-options.ts'
import { readSource, storeOption } from '../options/store-options.ts'
import { UsageError } from '../options/usage-error.ts'
import { isSet, optionalChoice, optionalText, optionalWhole, text } from '../options/values.ts'

/** `kith search`: the documents most similar to each query. */
export const searchCommand = defineCommand({
  name: 'search',
  description:
    'Reads embeddings from .npy (ids in .ids.txt beside it, or row numbers), .safetensors, .fvecs,\n' +
    '.parquet, .jsonl, or a folder with embedding.memmap and ids.memmap.\n' +
    'Searches files exactly: compares every document with every query, on all cores. Searches a store\n' +
    'through its approximate index if it has one.',
  example: 'kith search --queries queries.npy --docs docs.npy --top 200 --out run.trec',
  dataset: {
    purpose: 'measure',
    files: { queries: 'queryEmbeddings', docs: 'documentEmbeddings', out: 'run' },
  },
  options: {
    queries: { value: 'FILE', file: 'input', help: 'query embeddings', required: true },
    docs: { value: 'FILE', file: 'input', help: 'document embeddings' },
    ...storeOption,
    out: {
      value: 'FILE',
      file: 'output',
      help: 'output run (format from the extension: .trec, .json, .gz)',
      required: true,
    },
    top: { value: 'N', help: 'number of documents per query', default: String(jobDefaults.top) },
    metric: {
      value: 'NAME',
      help: 'similarity: dot or cosine',
      default: 'dot, or the metric of the store',
    },
    exact: { help: 'compare with every document of a store, even if the store has an index' },
    filter: { value: 'SQL', help: 'condition on the documents of a store, in the store’s syntax' },
    ...datasetOptions,
    ...rare(embeddingOptions),
    ...workerOption,
  },
  async run(values, output) {
    const source = readSource(values)
    const filter = optionalText(values, 'filter')
    if (filter !== undefined && 'docs' in source)
      throw new UsageError(
        '--filter works only with --store; add --store ADDRESS or leave out --filter',
      )
    const found = await searchRun(
      {
        ...source,
        ...readEmbeddingOptions(values),
        queries: text(values, 'queries'),
        out: text(values, 'out'),
        top: optionalWhole(values, 'top'),
        metric: optionalChoice(values, 'metric', ['dot', 'cosine']),
        exact: isSet(values, 'exact'),
        filter,
        workers: optionalWhole(values, 'workers'),
      },
      output.hooks(),
    )
    const { perQuery, ...rest } = found
    const [most, result] = 'store' in source ? ['up to ', rest] : ['', found]
    output.result(
      result,
      `${found.out}: ${most}${perQuery} of ${found.documents} documents for each of ${found.queries} queries in ${found.seconds.toFixed(1)} s`,
    )
  },
})
