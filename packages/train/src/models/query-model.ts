import type { Drop, Graph, Value } from '@kith/encoder/internal'
import { Tensor } from '@kith/encoder/runtime'
import type { DeviceOptions } from '../graph/session.ts'

/** A query for a model: its text, or its embedding if it has no text. */
export interface Query {
  id: string
  text?: string | undefined
  vector?: Float32Array | undefined
}

/** A batch of queries as inputs of a graph. */
export interface QueryBatch {
  size: number
  /** Number of tokens in the longest query; 1 for embeddings. */
  length: number
  feeds: Record<string, Tensor>
  /** The table row of each token, size × length. */
  rows?: Int32Array
}

/** The part of a graph that maps queries to embeddings. */
export interface QueryGraph {
  graph: Graph
  /** The query embeddings, batch × dimensions. */
  embeddings: Value
  /** The input for rows of the model's table. */
  rows?: Value
}

/**
 * A weight table of which a batch uses only some rows: these rows are inputs instead of the table.
 */
export interface RowTable {
  name: string
  width: number
}

/** A trainable model: weights, and the graph that maps queries to embeddings. */
export interface QueryModel {
  readonly dimensions: number
  /** The weights by name; training changes them in place. */
  readonly weights: ReadonlyMap<string, Float32Array>
  readonly shapes: ReadonlyMap<string, readonly number[]>
  /** The names of the trained weights. */
  readonly trained: ReadonlySet<string>
  readonly table?: RowTable
  /**
   * Everything else that determines the embeddings, by names for messages, such as `tokenizer of
   * the model`.
   */
  readonly identity: Readonly<Record<string, unknown>>
  /** Maximum number of tokens per query; undefined if queries are embeddings. */
  readonly maxTokens?: number | undefined
  /** Counts the queries that are longer than `maxTokens`. */
  countCut(queries: readonly Query[]): number
  build(drop?: Drop): QueryGraph
  prepare(queries: readonly Query[]): QueryBatch | Promise<QueryBatch>
  /** Saves the model with its current weights to a folder. */
  save(folder: string): Promise<void>
  /**
   * Returns the same model with its frozen part computed once per query and cached in a file;
   * undefined if there is no frozen part worth caching.
   */
  split?(
    file: string,
    queries: readonly Query[],
    options: DeviceOptions & SplitHooks,
  ): SplitModel | undefined
}

/** A model that reads the output of its frozen part from a file. */
export interface SplitModel extends QueryModel {
  close(): Promise<void>
  /** Closes and removes the file. */
  remove(): Promise<void>
}

/** A progress callback for computing a model's frozen part, and a signal that aborts it. */
export interface SplitHooks {
  /** Called with the number of finished texts and the total. */
  onLowerLayers?: ((done: number, total: number) => void) | undefined
  signal?: AbortSignal | undefined
}

/**
 * Creates the mask of texts with these token counts, 1 for tokens and 0 for padding; also returns
 * the largest count.
 */
export function tokenMask(lengths: readonly number[]): { mask: Tensor; length: number } {
  const length = lengths.reduce((most, tokens) => Math.max(most, tokens), 0)
  const mask = new BigInt64Array(lengths.length * length)
  lengths.forEach((tokens, text) => {
    mask.fill(1n, text * length, text * length + tokens)
  })
  return { mask: new Tensor('int64', mask, [lengths.length, length]), length }
}
