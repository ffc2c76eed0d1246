import type { Command } from '../command.ts'
import { type SearchJob, searchFiles } from '../search-files.ts'
import { embeddingOptions, readEmbeddingOptions, workerOption } from '../shared-options.ts'
import { optionalChoice, optionalWhole, text } from '../values.ts'

/** `kith search`: the documents most similar to each query, by comparing with all of them. */
export const searchCommand: Command = {
  name: 'search',
  summary: 'find the most similar documents of each query, exactly',
  description:
    'Embeddings: .npy (ids in a neighbouring .ids.txt, or row numbers), .safetensors, .fvecs,\n' +
    '.parquet, .jsonl, or a folder with embedding.memmap and ids.memmap (--dimensions).\n' +
    'Exact: every document is compared with every query, on all cores.',
  example: 'kith search --queries queries.npy --docs docs.npy --top 200 --out run.trec',
  options: {
    queries: { value: 'FILE', help: 'embeddings of the queries', required: true },
    docs: { value: 'FILE', help: 'embeddings of the documents', required: true },
    out: { value: 'FILE', help: 'the run to write (.json, .gz by ending)', required: true },
    top: { value: 'N', help: 'documents per query', default: '200' },
    metric: { value: 'NAME', help: 'dot or cosine', default: 'dot' },
    ...embeddingOptions,
    ...workerOption,
  },
  async run(values, output) {
    const job: SearchJob = {
      queries: text(values, 'queries'),
      docs: text(values, 'docs'),
      out: text(values, 'out'),
      top: optionalWhole(values, 'top') ?? 200,
      metric: optionalChoice(values, 'metric', ['dot', 'cosine']),
      workers: optionalWhole(values, 'workers'),
      ...readEmbeddingOptions(values),
    }
    const found = await searchFiles(job, output)
    output.result(
      { out: job.out, ...found },
      `${job.out}: ${found.perQuery} of ${found.documents} documents for each of ${found.queries} queries in ${found.seconds.toFixed(1)} s`,
    )
  },
}
