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
    'Embeddings: .npy (ids in a neighboring .ids.txt, or row numbers), .safetensors, .fvecs,\n' +
    '.parquet, .jsonl, or a folder with embedding.memmap and ids.memmap.\n' +
    'Files are searched exactly: every document is compared with every query, on all cores.\n' +
    'A store is asked as it is: through its approximate index where it has one.',
  example: 'kith search --queries queries.npy --docs docs.npy --top 200 --out run.trec',
  dataset: {
    purpose: 'measure',
    files: { queries: 'queryEmbeddings', docs: 'documentEmbeddings', out: 'run' },
  },
  options: {
    queries: { value: 'FILE', file: 'input', help: 'embeddings of the queries', required: true },
    docs: { value: 'FILE', file: 'input', help: 'embeddings of the documents' },
    ...storeOption,
    out: {
      value: 'FILE',
      file: 'output',
      help: 'the run to write (.json, .gz by ending)',
      required: true,
    },
    top: { value: 'N', help: 'documents per query', default: String(jobDefaults.top) },
    metric: {
      value: 'NAME',
      help: 'dot or cosine',
      default: 'dot, or what the store was loaded for',
    },
    exact: { help: 'compare with every document of a store even where it has an index' },
    filter: { value: 'SQL', help: 'a condition that the documents of a store must fulfill' },
    ...datasetOptions,
    ...rare(embeddingOptions),
    ...workerOption,
  },
  async run(values, output) {
    const source = readSource(values)
    const filter = optionalText(values, 'filter')
    if (filter !== undefined && 'docs' in source) throw new UsageError('--filter needs --store')
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
