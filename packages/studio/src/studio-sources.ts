import { KithError } from '@kith/core'
import {
  type Embeddings,
  openEmbeddings,
  type Qrels,
  type Run,
  readQrels,
  readRun,
  TextStore,
} from '@kith/ir'
import type { StudioFiles } from './studio-wire.ts'

/** The open files of a collection. */
export interface StudioSources {
  run: Run
  queries: Embeddings
  docs: Embeddings
  /** Empty where there are no judgments. */
  qrels: Qrels
  texts: { queries: TextStore; documents: TextStore } | undefined
  close(): Promise<void>
  /** As `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** How embeddings are opened. */
export interface StudioOptions {
  /** The length of the vectors, for folders of raw memory maps. */
  dimensions?: number | undefined
  /** Embeddings larger than this many bytes are read from the file as needed. */
  memory?: number | undefined
}

/** Opens the files of a collection: all of them, or none where one is wrong. */
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
        `${files.queries} has ${queries.dimensions} dimensions, ${files.docs} has ${docs.dimensions}`,
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
    return { run, queries, docs, qrels, texts, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}
