import { KithError } from '@kith/core'
import type { OpenEmbeddingsOptions } from '@kith/ir'
import type { Metric } from '@kith/stores'
import type { Hooks } from '../job/hooks.ts'
import { jobDefaults } from '../job/job-defaults.ts'
import { type DocumentPlace, placeOf } from '../join/stores.ts'
import { searchFiles } from './search-files.ts'
import { searchStore } from './search-store.ts'

/** The inputs of a search. */
export interface SearchInputs extends DocumentPlace, OpenEmbeddingsOptions {
  /** Embeddings of the queries. */
  queries: string
  /** The run to write. */
  out: string
  /** Documents per query; default 200. */
  top?: number | undefined
  /** Default: the inner product, or the similarity that the store was loaded for. */
  metric?: Metric | undefined
  /** Compare with every document of a store even where it has an index. */
  exact?: boolean | undefined
  /** A condition in SQL that the documents of a store must fulfill. */
  filter?: string | undefined
  /** Threads; the result does not depend on their number. */
  workers?: number | undefined
}

/** The result of a search. */
export interface SearchResult {
  out: string
  queries: number
  documents: number
  /** How many documents each query got; of a store, the number requested. */
  perQuery: number
  seconds: number
}

/** Inputs with the number of documents per query. */
export interface SearchPlan extends SearchInputs {
  top: number
}

/**
 * Finds the documents most similar to each query and writes them as a run: exactly for files, as
 * the store does it for a store.
 */
export async function searchRun(inputs: SearchInputs, hooks: Hooks = {}): Promise<SearchResult> {
  const plan = { ...inputs, top: inputs.top ?? jobDefaults.top }
  const place = placeOf(inputs)
  if ('store' in place) return searchStore({ ...plan, store: place.store }, hooks)
  if (inputs.filter !== undefined) {
    throw new KithError('BAD_INPUT', 'only the documents of a store can be filtered')
  }
  return searchFiles({ ...plan, docs: place.docs }, hooks)
}
