import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Background, KithError } from '@kith/core'
import { type Embeddings, openEmbeddings, type Qrels, type Run, readQrels, readRun } from '@kith/ir'
import { TextStore } from '@kith/ir/internal'
import type { QueryEntry, StudioContext, StudioDocument, StudioFiles } from './studio-wire.ts'

/** Maximum number of candidates per query on the page. */
export const DEPTH = 1000
/** The cutoff of nDCG@10. */
const IDEAL = 10

/** A query, its candidates, and its judgments. */
interface JudgedQuery {
  query: QueryEntry
  vector: Float32Array
  ids: readonly string[]
  scores: ArrayLike<number>
  judged: ReadonlyMap<string, number>
}

/** The part of a context that is requested. */
interface ContextPart {
  /** Maximum number of candidates. */
  top: number
  /** Whether to add relevant documents that are not among the candidates. */
  withTruth: boolean
  /** The lowest grade of a relevant document. */
  level: number
}

/** Builds a query's context: its first candidates with their texts, grades and vectors. */
export function contextOf(
  { docs, texts }: Pick<StudioSources, 'docs' | 'texts'>,
  { query, vector, ids, scores, judged }: JudgedQuery,
  { top, withTruth, level }: ContextPart,
): StudioContext {
  const rows: number[] = []
  const documents: StudioDocument[] = []
  const places = new Map<string, number>()
  let missing = 0
  const add = (document: string, score?: number): void => {
    const row = docs.rowOf(document)
    const entry = texts?.documents.get(document)
    if (row === undefined || (texts && !entry)) {
      missing++
      return
    }
    places.set(document, documents.length)
    rows.push(row)
    const { title, text } = entry ?? {}
    documents.push({ id: document, score, title, text, grade: judged.get(document) })
  }
  for (let i = 0; i < ids.length && documents.length < Math.min(top, DEPTH); i++) {
    add(ids[i]!, scores[i]!)
  }
  const retrieved = documents.length
  const relevant = [...judged.keys()].filter((other) => judged.get(other)! >= level)
  if (withTruth) for (const document of relevant) if (!places.has(document)) add(document)
  const { dimensions } = docs
  const data = new Float32Array((rows.length + 1) * dimensions)
  data.set(vector)
  docs.gather(rows, data.subarray(dimensions))
  return {
    query,
    documents,
    retrieved,
    missing,
    truth: relevant.flatMap((document) => places.get(document) ?? []),
    ideal: [...judged.values()]
      .filter((grade) => grade > 0)
      .sort((a, b) => b - a)
      .slice(0, IDEAL),
    vectors: { data, rows: rows.length + 1, dimensions },
  }
}

/** The open files of a dataset. */
export interface StudioSources {
  run: Run
  queries: Embeddings
  docs: Embeddings
  /** Empty if there are no judgments. */
  qrels: Qrels
  texts: { queries: TextStore; documents: TextStore } | undefined
  /** The scale on which relevance is estimated, from a file beside the embeddings. */
  background: Background | undefined
  close(): Promise<void>
  /** Does the same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Options for opening embeddings. */
export interface StudioOptions {
  /** The dimensions of the vectors, for folders of raw memory maps. */
  dimensions?: number | undefined
  /** Embeddings larger than this many bytes are read from the file as needed. */
  memory?: number | undefined
}

/** Opens the files of a dataset; closes all of them if one cannot be opened. */
export async function openSources(
  files: StudioFiles,
  options: StudioOptions,
): Promise<StudioSources> {
  const { corpus, queryText } = files
  const opened: { close(): Promise<void> }[] = []
  const kept = <T extends { close(): Promise<void> }>(part: T): T => {
    opened.push(part)
    return part
  }
  const close = async (): Promise<void> => {
    for (const part of opened) await part.close()
  }
  try {
    const queries = kept(await openEmbeddings(files.queries, options))
    const docs = kept(await openEmbeddings(files.docs, options))
    if (queries.dimensions !== docs.dimensions) {
      throw new KithError(
        'BAD_SHAPE',
        `${files.queries} has ${queries.dimensions} dimensions, but ${files.docs} has ${docs.dimensions}; encode both with one model`,
      )
    }
    const run = await readRun(files.run)
    const qrels: Qrels = files.qrels === undefined ? new Map() : await readQrels(files.qrels)
    const texts =
      corpus !== undefined && queryText !== undefined
        ? {
            queries: kept(await TextStore.open(queryText)),
            documents: kept(await TextStore.open(corpus)),
          }
        : undefined
    // Loaded here: the other exports of this package need no store.
    const { backgroundBeside } = await import('@kith/stores/internal')
    const background = await backgroundBeside(files.docs, docs)
    return { run, queries, docs, qrels, texts, background, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

const folders = ['demo-output/wordnet', 'demo-output/wordnet-half', 'demo-output/wordnet-part']

/** Returns the files of the demo dataset that `npm run demo` has made in the current folder. */
export function demoFiles(): StudioFiles {
  const folder = folders.find((name) => existsSync(join(name, 'run.trec')))
  if (folder === undefined) {
    throw new KithError(
      'BAD_INPUT',
      'demo-output has no demo dataset; make it with npm run demo (npm run demo -- --quick takes about a minute), or pass a dataset: kith studio DATASET',
    )
  }
  const at = (name: string): string => join(folder, name)
  return {
    run: at('run.trec'),
    queries: at('queries.npy'),
    docs: at('docs.npy'),
    corpus: at('corpus.jsonl'),
    queryText: at('queries.jsonl'),
    qrels: at('qrels/test.tsv'),
  }
}
