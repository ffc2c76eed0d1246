import { type SearchResult, searchRun } from '@kith/pipelines/search'
import { defineCommand } from '../options/command.ts'
import { readSearch, refuseVectorOptions, searchOptions } from '../options/search-options.ts'
import type { Output } from '../terminal/output.ts'

/** `kith search`: the documents most similar to each query. */
export const searchCommand = defineCommand({
  name: 'search',
  description:
    'Reads embeddings from .npy (ids in .ids.txt beside it, or row numbers), .safetensors, .fvecs,\n' +
    '.parquet, .jsonl, or a folder with embedding.memmap and ids.memmap.\n' +
    'Files are searched exactly: every document is compared with every query, on all cores.\n' +
    'A store is searched through its approximate index if it has one.\n' +
    'With --bm25, texts (--corpus, --query-text) are searched by their words instead.',
  example: 'kith search --queries queries.npy --docs docs.npy --top 200 --out run.trec',
  dataset: {
    purpose: 'measure',
    files: (values) => {
      if (values['bm25'] === true) {
        refuseVectorOptions(values)
        return { corpus: 'corpus', 'query-text': 'queries', out: 'bm25' }
      }
      return { queries: 'queryEmbeddings', docs: 'documentEmbeddings', out: 'run' }
    },
  },
  options: searchOptions,
  read: readSearch,
  async run(inputs, output) {
    const found = await searchRun(inputs, output.hooks())
    tellFound(output, found, 'bm25' in inputs || 'store' in inputs)
  },
})

/** Prints how many documents were found; `most` if a query may have got fewer. */
function tellFound(output: Output, found: SearchResult, most: boolean): void {
  const { perQuery, ...rest } = found
  output.result(
    most ? rest : found,
    `${found.out}: ${most ? 'up to ' : ''}${perQuery} of ${found.documents} documents for each of ${found.queries} queries in ${found.seconds.toFixed(1)} s`,
  )
}
