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

/** A document as a store keeps it: an id, a vector, and its text if that was loaded. */
export interface StoreDocument {
  id: string
  vector: Float32Array
  title?: string | undefined
  text?: string | undefined
}

/** Documents, as they come. */
export type StoreDocuments = Iterable<StoreDocument> | AsyncIterable<StoreDocument>

/** Options of a search in a store. */
export interface StoreSearchOptions {
  /** Documents per query. */
  top: number
  /** Default: the store's own metric. */
  metric?: Metric | undefined
  /** Compares with every document even if there is an approximate index. */
  exact?: boolean | undefined
  /**
   * A condition in the store's SQL that documents must fulfill. It is run unchanged: never build it
   * from untrusted input.
   */
  filter?: string | undefined
  /** Whether hits come with their vectors; default true. */
  vectors?: boolean | undefined
}

/** Options of fetching documents by their ids. */
export interface StoreFetchOptions {
  /** Whether documents come with their vectors; default true, else the vectors are empty. */
  vectors?: boolean | undefined
  /** Whether documents come with their titles and texts; default true. */
  texts?: boolean | undefined
}

/** The best documents of a query, best first. */
export interface StoreHits {
  ids: string[]
  scores: Float32Array
  /** Their vectors, one after the other; empty if they were not wanted. */
  vectors: Float32Array
}

/** A collection of documents with their vectors. Queries are vectors too, so that any encoder will do. */
export interface Store {
  /** The length of the vectors; undefined while the store is empty and knows none. */
  readonly dimensions: number | undefined
  /** The metric of searches that name none. */
  readonly metric: Metric
  /** How many documents there are. */
  count(): Promise<number>
  /** Each query's best documents. */
  search(queries: Matrix, options: StoreSearchOptions): Promise<StoreHits[]>
  /** Documents by id, in the order asked for; undefined if there is none. */
  fetch(ids: readonly string[], options?: StoreFetchOptions): Promise<(StoreDocument | undefined)[]>
  /**
   * The ids of the documents whose words fit a text best, best first, if the store can search
   * words and `index` has made an index of them; else none.
   */
  searchWords?(text: string, options: { top: number }): Promise<string[]>
  /** Why `searchWords` finds no document by the terms of the store's tokenizer; undefined if it does. */
  wordsProblem?(): Promise<string | undefined>
  /**
   * The vectors of the documents that have some texts (title and text, as `kith encode` joins them),
   * if the store can look texts up; undefined for a text that no document has.
   */
  textVectors?(texts: readonly string[]): Promise<(Float32Array | undefined)[]>
  /**
   * How often terms occur in the documents that have texts: for the BM25 score of rankings. Changes
   * of documents keep it up to date; undefined if there are no texts, or none were counted.
   */
  terms(): Promise<TermStatistics | undefined>
  /**
   * The background by which the relevance of hits is estimated; undefined if none was made, or the
   * number of documents has doubled or halved since.
   */
  background?(): Promise<Background | undefined>
  /** Makes the background from a seeded sample of the documents, and keeps it in the store. */
  makeBackground?(options?: BackgroundOptions): Promise<Background>
  /** Adds new documents. An id that is there already is an error. */
  add(documents: StoreDocuments): Promise<void>
  /** Replaces documents with the same ids; adds the others. */
  replace(documents: StoreDocuments): Promise<void>
  /** Removes documents; returns how many there were. */
  remove(ids: readonly string[]): Promise<number>
  /** Builds or renews the approximate index, and one of words, if the store has such things. */
  index?(): Promise<void>
  close(): Promise<void>
  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Options of a store; a store that exists keeps its own type. */
export interface StoreOptions {
  /** The number type of stored vectors; f16 takes half the space. Default f32. */
  type?: 'f16' | 'f32' | undefined
  /** The metric of searches that name none. Default dot. */
  metric?: Metric | undefined
  /**
   * How the terms of texts are counted. A store with terms of another tokenizer counts all of its
   * texts again with the next change. Default: the store's own tokenizer, `english` for a new
   * store.
   */
  tokenizer?: TokenizerName | undefined
  /**
   * Creates the store with its first documents if it is not there. Default false: an address
   * without a store is an error, and opening it creates nothing.
   */
  create?: boolean | undefined
}

/** Throws unless the tokenizer of a store is one that a store can remember. */
export function checkStoreTokenizer({ tokenizer }: StoreOptions): void {
  if (tokenizer === undefined || isTokenizerName(tokenizer)) return
  throw new KithError(
    'BAD_SETTING',
    `setting tokenizer of a store must be the name of a tokenizer, such as english, german or code, got ${typeof tokenizer === 'function' ? 'a function' : JSON.stringify(tokenizer)}`,
  )
}

/**
 * The error of a store that is opened to be read and is not there.
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

/** The error of a place that is not there; the place comes first, so that it is easy to check. */
export function absent(place: string, problem: string): KithError {
  return new KithError(
    'BAD_INPUT',
    `${place}: ${problem}; check the address, or load documents first (openStore with create: true)`,
  )
}

/** Loads a package that only the users of one store need. */
export function optionalPeer<T>(name: string, load: () => Promise<T>): Promise<T> {
  return optionalPackage('this store needs', name, load)
}
