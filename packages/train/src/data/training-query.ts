import type { Query } from '../models/query-model.ts'

/**
 * A query with its relevant documents, candidates and labels. Documents are identified by their
 * rows in the embeddings.
 */
export interface TrainingQuery extends Query {
  /** Documents judged relevant. */
  relevant: readonly number[]
  /** Grades of the relevant documents. Default: 1 each. */
  grades?: readonly number[] | undefined
  /** Retrieved documents, best first. */
  retrieved: ArrayLike<number>
  /** A target computed earlier, for example by `kith labels`: probabilities of some documents. */
  labels?: { rows: readonly number[]; values: ArrayLike<number> } | undefined
}

/** The embeddings of documents, for example opened with `@kith/ir`. */
export interface DocumentVectors {
  readonly rows: number
  readonly dimensions: number
  readonly memory?: Float32Array | Uint16Array | undefined
  /** Returns the id of a row; absent if rows have no ids. */
  idOf?(row: number): string
  /** Reads the rows with the given numbers into one array. */
  gather(rows: ArrayLike<number>, into?: Float32Array): Float32Array
  /** Reads the rows from `from` to `to` (exclusive). */
  read(from: number, to: number, into?: Float32Array): Float32Array
}

/** Computes the inner products of a query's embedding with documents. */
export function innerProducts(
  embedding: Float32Array,
  rows: ArrayLike<number>,
  documents: DocumentVectors,
): Float64Array {
  const { length } = embedding
  const vectors = documents.gather(rows)
  return Float64Array.from({ length: rows.length }, (_, row) => {
    let sum = 0
    for (let i = 0; i < length; i++) sum += embedding[i]! * vectors[row * length + i]!
    return sum
  })
}
