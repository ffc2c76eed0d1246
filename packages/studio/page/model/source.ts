import type { TokenizerName } from '@kith/core'
import type {
  DocumentText,
  HeldCollection,
  QueryList,
  StudioContext,
  StudioInfo,
} from '../../src/studio-wire.ts'
import { heldSource } from './held-source.ts'
import { serverSource } from './server-source.ts'

/** Where the page's data comes from: the studio's server, or a collection that the page holds. */
export interface DataSource {
  /** The properties of the collection. */
  info(): Promise<StudioInfo>
  /** Queries that have some words. */
  queries(search: string, signal: AbortSignal): Promise<QueryList>
  /** The ids of the judged queries. */
  judged(): Promise<string[]>
  /** The texts of some documents. */
  documents(ids: readonly string[]): Promise<DocumentText[]>
  /** The bytes of the collection's term statistics. */
  statistics(tokenizer: TokenizerName): Promise<Uint8Array>
  /** One query with at least its first candidates and, if asked for, all its relevant documents. */
  context(query: string, top: number, options?: ContextOptions): Promise<StudioContext>
  /** A free text with its nearest documents; only where `info` names a model. */
  textContext(text: string, top: number, signal: AbortSignal): Promise<StudioContext>
}

/** How a context is fetched. */
export interface ContextOptions {
  truth?: boolean
  signal?: AbortSignal
}

let collection: HeldCollection | undefined
let current: DataSource = serverSource

/** The source of this page or worker. */
export function source(): DataSource {
  return current
}

/** Makes a collection that the page holds its source. */
export function hold(given: HeldCollection): void {
  collection = given
  current = heldSource(given)
}

/** The collection that the page holds; undefined where it has a server. */
export function held(): HeldCollection | undefined {
  return collection
}
