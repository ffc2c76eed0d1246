import type { Drop, Graph, Value } from '@kith/encoder/internal'
import { Tensor } from '@kith/encoder/runtime'
import type { DeviceOptions } from '../graph/session.ts'

/** A query as a model sees it: its text, or its embedding if it has no text. */
export interface Query {
  id: string
  text?: string | undefined
  vector?: Float32Array | undefined
}

/** Queries made ready for a graph. */
export interface QueryBatch {
  size: number
  /** Tokens of the longest query; 1 for embeddings. */
  length: number
  feeds: Record<string, Tensor>
  /** The row of the table behind each token, size × length. */
  rows?: Int32Array
}

/** The part of a graph from queries to their embeddings. */
export interface QueryGraph {
  graph: Graph
  /** batch × dimensions. */
  embeddings: Value
  /** Rows of the model's table, which are fed. */
  rows?: Value
}

/** A weight table of which a batch uses some rows: they are fed, not the table. */
export interface RowTable {
  name: string
  width: number
}

/** A model that learns: weights, and the graph in which they turn queries into embeddings. */
export interface QueryModel {
  readonly dimensions: number
  /** By name; training changes them in place. */
  readonly weights: ReadonlyMap<string, Float32Array>
  readonly shapes: ReadonlyMap<string, readonly number[]>
  /** The names of the weights that learn. */
  readonly trained: ReadonlySet<string>
  readonly table?: RowTable
  /** The other parts that decide its embeddings, by names for messages such as `tokenizer of the model`. */
  readonly identity: Readonly<Record<string, unknown>>
  /** Tokens after which queries are cut; undefined if they are embeddings. */
  readonly maxTokens?: number | undefined
  /** How many of the queries are longer than that. */
  countCut(queries: readonly Query[]): number
  build(drop?: Drop): QueryGraph
  prepare(queries: readonly Query[]): QueryBatch | Promise<QueryBatch>
  /** Writes the model with its current weights to a folder. */
  save(folder: string): Promise<void>
  /**
   * The same model, of which the part that does not learn is computed once for each query and kept
   * in a file; undefined if that part is nothing, or next to nothing.
   */
  split?(
    file: string,
    queries: readonly Query[],
    options: DeviceOptions & SplitHooks,
  ): SplitModel | undefined
}

/** A model that takes the part of it that does not learn from a file. */
export interface SplitModel extends QueryModel {
  close(): Promise<void>
  /** Closes and removes the file. */
  remove(): Promise<void>
}

/** A callback while the part of a model that does not learn is computed, and a signal that stops that. */
export interface SplitHooks {
  /** Called with the texts that are computed, and how many there are. */
  onLowerLayers?: ((done: number, total: number) => void) | undefined
  signal?: AbortSignal | undefined
}

/** The mask of texts with these numbers of tokens, 1 for tokens and 0 for padding, and the longest of them. */
export function tokenMask(lengths: readonly number[]): { mask: Tensor; length: number } {
  const length = lengths.reduce((most, tokens) => Math.max(most, tokens), 0)
  const mask = new BigInt64Array(lengths.length * length)
  lengths.forEach((tokens, text) => {
    mask.fill(1n, text * length, text * length + tokens)
  })
  return { mask: new Tensor('int64', mask, [lengths.length, length]), length }
}
