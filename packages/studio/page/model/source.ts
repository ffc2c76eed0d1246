import { halfTable } from '@kith/base/half'
import {
  type Background,
  type TokenizerName,
  termStatistics,
  termStatisticsToBytes,
} from '@kith/core'
import {
  type DocumentText,
  decodeContext,
  type HeldCollection,
  type HeldQuery,
  type QueryList,
  type StudioContext,
  type StudioDocument,
  type StudioInfo,
  searchEntries,
  type WrittenCollection,
  wordsOf,
} from '../../src/studio-wire.ts'

/** The data of the studio's server. */
const serverSource: DataSource = {
  info: () => json('collection', {}),
  queries: (search, signal) => json('queries', { search }, signal),
  judged: () => json('judged', {}),
  documents: (ids) => json('documents', { id: ids }),
  statistics: async (tokenizer) =>
    new Uint8Array(await (await ask('term-statistics', { tokenizer })).arrayBuffer()),
  background: async () => (await json<{ background?: Background }>('background', {})).background,
  context: (query, top, { truth = false, signal } = {}) =>
    context('context', { query, top: String(top), ...(truth ? { truth: '' } : {}) }, signal),
  textContext: (text, top, signal) => context('text', { text, top: String(top) }, signal),
}

type Parameters = Record<string, string | readonly string[]>

async function json<T>(path: string, parameters: Parameters, signal?: AbortSignal): Promise<T> {
  return (await ask(path, parameters, signal)).json() as Promise<T>
}

async function context(
  path: string,
  parameters: Parameters,
  signal: AbortSignal | undefined,
): Promise<StudioContext> {
  return decodeContext(await (await ask(path, parameters, signal)).arrayBuffer())
}

async function ask(path: string, parameters: Parameters, signal?: AbortSignal): Promise<Response> {
  const search = new URLSearchParams()
  for (const [name, values] of Object.entries(parameters)) {
    for (const value of [values].flat()) search.append(name, value)
  }
  let response: Response
  try {
    // A worker's own address is no place that a path could start from.
    response = await fetch(`${location.origin}/api/${path}?${search}`, signal ? { signal } : {})
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Error('The server does not answer. Check that `kith studio` is still running.')
  }
  if (response.ok) return response
  const { error } = (await response.json()) as { error: string }
  throw new Error(error)
}

/** The source of the page's data: the studio's server, or a dataset inside the page. */
interface DataSource {
  /** The properties of the dataset. */
  info(): Promise<StudioInfo>
  /** Queries that have some words. */
  queries(search: string, signal: AbortSignal): Promise<QueryList>
  /** The ids of the judged queries. */
  judged(): Promise<string[]>
  /** The texts of some documents. */
  documents(ids: readonly string[]): Promise<DocumentText[]>
  /** The bytes of the dataset's term statistics. */
  statistics(tokenizer: TokenizerName): Promise<Uint8Array>
  /** The scale on which relevance is estimated; undefined if the dataset has none. */
  background(): Promise<Background | undefined>
  /** A query with at least its first candidates and, if asked for, all its relevant documents. */
  context(query: string, top: number, options?: ContextOptions): Promise<StudioContext>
  /** A free text with its nearest documents; only if `info` names a model. */
  textContext(text: string, top: number, signal: AbortSignal): Promise<StudioContext>
}

/** How a context is fetched. */
interface ContextOptions {
  truth?: boolean
  signal?: AbortSignal
}

let collection: HeldCollection | undefined
let current: DataSource = serverSource

/** The source of this page or worker. */
export function source(): DataSource {
  return current
}

/** Makes a dataset that the page holds its source. */
export function hold(given: HeldCollection): void {
  collection = given
  current = heldSource(given)
}

/** The dataset that the page holds; undefined if it has a server. */
export function held(): HeldCollection | undefined {
  return collection
}

/** The data of a dataset that the page holds, in the form of a server's answers. */
export function heldSource(collection: HeldCollection): DataSource {
  const { info, queries, documents, statistics, background } = collection
  const places = new Map(queries.map(({ query }, place) => [query.id, place]))
  const entries = new Map(documents.map((entry) => [entry.id, entry]))
  return {
    info: async () => info,
    queries: async (search) =>
      searchEntries(
        queries.map(({ query }) => query),
        search,
      ),
    judged: async () => queries.filter(({ judged }) => judged).map(({ query }) => query.id),
    documents: async (ids) => ids.map((id) => entries.get(id) ?? { id }),
    statistics: async (tokenizer) =>
      statistics?.[tokenizer] ??
      termStatisticsToBytes(termStatistics(documents.map(wordsOf), { tokenizer })),
    background: async () => background,
    context: async (query) => {
      const place = places.get(query)
      if (place === undefined) throw new Error(`there is no query ${JSON.stringify(query)}`)
      return contextAt(collection, place)
    },
    textContext: async () => {
      throw new Error(
        'Free text needs an encoder. Start the studio with kith studio --model MODEL.',
      )
    },
  }
}

/** The context of a query, whole: nothing is saved by leaving a part of it out. */
function contextAt({ queries, documents, vectors }: HeldCollection, place: number): StudioContext {
  const { documents: members, scores, grades, judged, ...rest }: HeldQuery = queries[place]!
  const graded = new Map(grades)
  const { data, dimensions } = vectors
  const rows = [place, ...members.map((member) => queries.length + member)]
  const own = new Float32Array(rows.length * dimensions)
  rows.forEach((row, i) => {
    own.set(data.subarray(row * dimensions, (row + 1) * dimensions), i * dimensions)
  })
  return {
    ...rest,
    documents: members.map(
      (member, i): StudioDocument => ({
        ...documents[member]!,
        score: scores[i],
        grade: graded.get(i),
      }),
    ),
    vectors: { data: own, rows: rows.length, dimensions },
  }
}

/** The dataset that was written into a page as JSON. */
export function readCollection(json: string): HeldCollection {
  const { vectors, statistics, ...rest } = JSON.parse(json) as WrittenCollection
  const { base64, rows, dimensions } = vectors
  const values = halfTable()
  const halves = new Uint16Array(bytesOf(base64).buffer)
  const data = new Float32Array(halves.length)
  for (let i = 0; i < halves.length; i++) data[i] = values[halves[i]!]!
  return {
    ...rest,
    vectors: { data, rows, dimensions },
    statistics: statistics && decoded(statistics),
  }
}

function decoded(statistics: Record<TokenizerName, string>): Record<TokenizerName, Uint8Array> {
  const entries = Object.entries(statistics).map(([name, base64]) => [name, bytesOf(base64)])
  return Object.fromEntries(entries)
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}

/** Starts a worker of the page, and gives it the dataset if the page holds one. */
export function startWorker(Kind: new () => Worker): Worker {
  const worker = new Kind()
  worker.postMessage(held())
  return worker
}

/**
 * In a worker: takes the dataset, which comes first, and hands every later message to a function.
 */
export function listen<Message>(onMessage: (message: Message) => void): void {
  let started = false
  addEventListener('message', ({ data }: MessageEvent) => {
    if (started) onMessage(data as Message)
    else if (data) hold(data as HeldCollection)
    started = true
  })
}
