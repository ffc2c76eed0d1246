import { formatByName } from '@kith/ir/internal'
import { jobDefaults } from '@kith/pipelines/job'
import {
  type Bm25Inputs,
  type DocumentColumn,
  type SearchInputs,
  type SearchResult,
  searchRun,
} from '@kith/pipelines/search'
import { defineCommand, type Options, rare, type Values } from '../options/command.ts'
import { datasetOptions } from '../options/dataset-options.ts'
import {
  readTokenizer,
  textOptions,
  tokenizerOption,
  workerOption,
} from '../options/shared-options.ts'
import { readSource, storeOption } from '../options/store-options.ts'
import {
  isSet,
  neededFile,
  optionalChoice,
  optionalText,
  optionalWhole,
  text,
  UsageError,
} from '../options/values.ts'
import type { Output } from '../terminal/output.ts'

/** Options of a vector search; a BM25 search does not use them. */
const VECTOR_OPTIONS = 'queries docs store metric exact filter model workers'.split(' ')

/** The options of `kith search`. */
const searchOptions = {
  queries: { value: 'FILE', file: 'input', help: 'embeddings of the queries' },
  docs: { value: 'FILE', file: 'input', help: 'embeddings of the documents' },
  ...storeOption,
  out: {
    value: 'FILE',
    file: 'output',
    help: 'output run (format from the extension: .trec, .json, .parquet, .gz)',
    required: true,
  },
  bm25: { help: 'search the texts of --corpus by BM25, without embeddings' },
  ...textOptions,
  ...rare(tokenizerOption('english')),
  top: { value: 'N', help: 'documents per query', default: String(jobDefaults.top) },
  metric: {
    value: 'NAME',
    help: 'similarity: dot or cosine',
    default: 'dot, or the metric of the store',
  },
  exact: { help: 'compare with every document of a store, even if the store has an index' },
  filter: { value: 'SQL', help: 'condition on the documents of a store, in the store’s syntax' },
  columns: {
    value: 'LIST',
    help: 'columns of documents in a .parquet run: text, vector or text,vector',
  },
  ...datasetOptions,
  ...workerOption,
} satisfies Options

/** Reads the values of `searchOptions`: a vector search, or with --bm25 a text search. */
function readSearch(values: Values<typeof searchOptions>): SearchInputs | Bm25Inputs {
  const [out, top] = [text(values, 'out'), optionalWhole(values, 'top')]
  const columns = readColumns(values)
  if (isSet(values, 'bm25')) {
    refuseVectorOptions(values)
    if (columns?.includes('vector'))
      throw new UsageError('--columns vector cannot be combined with --bm25; use --columns text')
    const [corpus, queryText] = [neededFile(values, 'corpus'), neededFile(values, 'query-text')]
    const tokenizer = readTokenizer(values)
    return { bm25: true, corpus, queryText, out, top, tokenizer, columns }
  }
  for (const name of ['query-text', 'tokenizer'] as const) {
    if (values[name] !== undefined)
      throw new UsageError(`--${name} works only with --bm25; add --bm25 or leave out --${name}`)
  }
  const source = readSource(values)
  const corpus = optionalText(values, 'corpus')
  const wantsCorpus = columns?.includes('text') === true && !('store' in source)
  if (corpus !== undefined && !wantsCorpus)
    throw new UsageError(
      '--corpus works only with --bm25, or with --docs and --columns text; leave out --corpus',
    )
  if (wantsCorpus && corpus === undefined)
    throw new UsageError('--columns text needs --corpus FILE, or a store with texts')
  const filter = optionalText(values, 'filter')
  if (filter !== undefined && 'docs' in source)
    throw new UsageError(
      '--filter works only with --store; add --store ADDRESS or leave out --filter',
    )
  return {
    ...source,
    queries: neededFile(values, 'queries'),
    out,
    top,
    metric: optionalChoice(values, 'metric', ['dot', 'cosine']),
    exact: isSet(values, 'exact'),
    filter,
    columns,
    corpus,
    workers: optionalWhole(values, 'workers'),
  }
}

/** Reads the document columns that the run gets. */
function readColumns(values: Values<typeof searchOptions>): DocumentColumn[] | undefined {
  const names = optionalText(values, 'columns')?.split(',')
  if (names === undefined) return undefined
  const isColumn = (name: string): name is DocumentColumn => name === 'text' || name === 'vector'
  if (!names.every(isColumn) || new Set(names).size < names.length)
    throw new UsageError(`--columns must be text, vector or text,vector, got ${names.join(',')}`)
  const out = text(values, 'out')
  if (formatByName(out) !== 'parquet')
    throw new UsageError(`--columns works only with an output in .parquet, got ${out}`)
  return names
}

/** Refuses options that have no effect on a BM25 search. */
function refuseVectorOptions(values: Values): void {
  const given = VECTOR_OPTIONS.find((name) => values[name] !== undefined)
  if (given === undefined) return
  throw new UsageError(
    `--${given} cannot be combined with --bm25, which searches texts; leave out one of them`,
  )
}

/** `kith search`: finds the documents most similar to each query. */
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
      const columns = String(values['columns'] ?? '').split(',')
      return {
        ...{ queries: 'queryEmbeddings', docs: 'documentEmbeddings', out: 'run' },
        ...(columns.includes('text') && { corpus: 'corpus' as const }),
      }
    },
  },
  options: searchOptions,
  read: readSearch,
  async run(inputs, output) {
    const found = await searchRun(inputs, output.hooks())
    tellFound(output, found, 'bm25' in inputs || 'store' in inputs)
  },
})

/** Prints how many documents were found; with `most`, a query may have got fewer. */
function tellFound(output: Output, found: SearchResult, most: boolean): void {
  const { perQuery, ...rest } = found
  output.result(
    most ? rest : found,
    `${found.out}: ${most ? 'up to ' : ''}${perQuery} of ${found.documents} documents for each of ${found.queries} queries in ${found.seconds.toFixed(1)} s`,
  )
}
