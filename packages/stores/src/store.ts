/// <reference lib="esnext.disposable" preserve="true" />

import { optionalPackage } from '@kith/base'
import {
  type Background,
  type BackgroundOptions,
  KithError,
  type Matrix,
  type TermStatistics,
  type TokenizerName,
} from '@kith/core'
import { isTokenizerName } from '@kith/core/internal'
import type { Metric } from './exact/search-exact.ts'

/** A document of a store: an id, a vector, and its text if one was loaded. */
export interface StoreDocument {
  id: string
  vector: Float32Array
  title?: string | undefined
  text?: string | undefined
}

/** Documents as a sync or async iterable. */
export type StoreDocuments = Iterable<StoreDocument> | AsyncIterable<StoreDocument>

/** Options of a search in a store. */
export interface StoreSearchOptions {
  /** Number of documents to return per query. */
  top: number
  /** Default: the store's own metric. */
  metric?: Metric | undefined
  /** Compares each query with every document even if there is an approximate index. */
  exact?: boolean | undefined
  /**
   * A condition in the store's SQL dialect that documents must meet. The store runs it unchanged:
   * never build it from untrusted input.
   */
  filter?: string | undefined
  /** Whether hits include vectors; default true. */
  vectors?: boolean | undefined
}

/** Options for fetching documents by id. */
export interface StoreFetchOptions {
  /** Whether documents include vectors; default true. If false, the vectors are empty. */
  vectors?: boolean | undefined
  /** Whether documents include titles and texts; default true. */
  texts?: boolean | undefined
}

/** The best documents of a query, best first. */
export interface StoreHits {
  ids: string[]
  scores: Float32Array
  /** The documents' vectors, concatenated; empty if vectors were not requested. */
  vectors: Float32Array
}

/** Documents with their vectors. Queries are vectors too, so any encoder works. */
export interface Store {
  /** The length of the vectors; undefined if the store is empty and its length is not set yet. */
  readonly dimensions: number | undefined
  /** The metric of searches that specify none. */
  readonly metric: Metric
  /** Counts the documents. */
  count(): Promise<number>
  /** Finds each query's best documents. */
  search(queries: Matrix, options: StoreSearchOptions): Promise<StoreHits[]>
  /** Fetches documents by id, in the order of `ids`; undefined for an unknown id. */
  fetch(ids: readonly string[], options?: StoreFetchOptions): Promise<(StoreDocument | undefined)[]>
  /**
   * Finds the ids of the documents whose words match a text best, best first. Returns an empty
   * array if `index` has not built a full-text index. Absent if the store cannot search words.
   */
  searchWords?(text: string, options: { top: number }): Promise<string[]>
  /**
   * Explains why `searchWords` cannot match terms of the store's tokenizer; undefined if it can.
   */
  wordsProblem?(): Promise<string | undefined>
  /**
   * Finds the vectors of the documents with the given texts (title and text, as `kith encode` joins
   * them); undefined for a text that no document has. Absent if the store cannot look up texts.
   */
  textVectors?(texts: readonly string[]): Promise<(Float32Array | undefined)[]>
  /**
   * Returns the term statistics of the documents that have texts, for the BM25 score. The store
   * updates them when documents change. Undefined if there are no texts, or none were counted.
   */
  terms(): Promise<TermStatistics | undefined>
  /**
   * Returns the background for estimating the relevance of hits; undefined if none was made, or if
   * the number of documents has doubled or halved since.
   */
  background?(): Promise<Background | undefined>
  /** Makes the background from a seeded sample of the documents and saves it in the store. */
  makeBackground?(options?: BackgroundOptions): Promise<Background>
  /** Adds new documents. Throws if an id already exists. */
  add(documents: StoreDocuments): Promise<void>
  /** Replaces documents with the same ids and adds the others. */
  replace(documents: StoreDocuments): Promise<void>
  /** Removes documents; returns how many of them existed. */
  remove(ids: readonly string[]): Promise<number>
  /**
   * Builds or rebuilds the approximate index and the full-text index, if the store supports them.
   */
  index?(): Promise<void>
  close(): Promise<void>
  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Options of a store; an existing store keeps its own number type. */
export interface StoreOptions {
  /** The number type of stored vectors; f16 takes half the space. Default f32. */
  type?: 'f16' | 'f32' | undefined
  /** The metric of searches that specify none. Default dot. */
  metric?: Metric | undefined
  /**
   * The tokenizer for counting terms. If the store's term statistics use another tokenizer, the
   * next change counts all texts again. Default: the store's own tokenizer, `english` for a new
   * store.
   */
  tokenizer?: TokenizerName | undefined
  /**
   * Creates the store with its first documents if it does not exist. Default false: opening an
   * address without a store throws and creates nothing.
   */
  create?: boolean | undefined
}

/** Throws unless the tokenizer is a named tokenizer, which a store can record. */
export function checkStoreTokenizer({ tokenizer }: StoreOptions): void {
  if (tokenizer === undefined || isTokenizerName(tokenizer)) return
  throw new KithError(
    'BAD_SETTING',
    `setting tokenizer of a store must be the name of a tokenizer, such as english, german or code, got ${typeof tokenizer === 'function' ? 'a function' : JSON.stringify(tokenizer)}`,
  )
}

/**
 * Creates the error for opening a collection that does not exist.
 *
 * @param place The folder or database, without a password.
 * @param others The collections that the place has.
 */
export function absentCollection(
  place: string,
  name: string,
  others: readonly string[] = [],
): KithError {
  const found = others.length > 0 ? `it has ${others.toSorted().join(', ')}` : 'it has none'
  return absent(place, `there is no collection ${JSON.stringify(name)} (${found})`)
}

/** Creates the error for a missing folder or database; its name comes first, for easy checking. */
export function absent(place: string, problem: string): KithError {
  return new KithError(
    'BAD_INPUT',
    `${place}: ${problem}; check the address, or load documents first (openStore with create: true)`,
  )
}

/** Loads a package that only users of one store need. */
export function optionalPeer<T>(name: string, load: () => Promise<T>): Promise<T> {
  return optionalPackage('this store needs', name, load)
}
