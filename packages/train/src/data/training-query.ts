import type { Query } from '../models/query-model.ts'

/** A query with its relevant documents, candidates and labels. Documents are named by their rows in the embeddings. */
export interface TrainingQuery extends Query {
  /** Documents judged relevant. */
  relevant: readonly number[]
  /** Grades of the relevant documents. Default: 1 each. */
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
  /** The id of a row, if rows have one. */
  idOf?(row: number): string
  /** The rows with the given numbers, one after the other. */
  gather(rows: ArrayLike<number>, into?: Float32Array): Float32Array
  /** The rows from `from` up to, but not including, `to`. */
  read(from: number, to: number, into?: Float32Array): Float32Array
}

/** The inner products of a query's embedding with documents. */
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
