import type { Query } from '../models/query-model.ts'

/** A query with its relevant documents, candidates and labels. Documents are named by their rows in the embeddings. */
export interface TrainingQuery extends Query {
  /** Documents judged relevant. */
  relevant: readonly number[]
  /** Their grades; 1 each without it. */
  grades?: readonly number[] | undefined
  /** Documents that were retrieved, best first. */
  retrieved: ArrayLike<number>
  /** A target made before, such as by `kith labels`: probabilities of some documents. */
  labels?: { rows: readonly number[]; values: ArrayLike<number> } | undefined
}

/** The embeddings of documents, such as `@kith/ir` opens. */
export interface DocumentVectors {
  readonly rows: number
  readonly dimensions: number
  readonly memory?: Float32Array | Uint16Array | undefined
  /** The id of a row, where rows have one. */
  idOf?(row: number): string
  /** The rows with the given numbers, one behind the other. */
  gather(rows: ArrayLike<number>, into?: Float32Array): Float32Array
  /** The rows from `from` up to, but not including, `to`. */
  read(from: number, to: number, into?: Float32Array): Float32Array
}
