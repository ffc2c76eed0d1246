import type { Rows } from '../matrix.ts'
import type { RowScaling, Settings } from '../settings/settings.ts'
import type { Postings } from '../text/postings.ts'
import type { MatchSettings, QueryMatches } from '../text/query-matches.ts'
import type { WordsSettings } from '../text/words-score.ts'

/** The implementations of the method, fastest first. */
export type KernelName = 'relaxed-simd' | 'simd' | 'typescript'

/** Vectors that an engine copies into its own memory. */
export type VectorRows = Pick<Rows, 'count' | 'dimensions' | 'copyTo'>

/** Inner products of each row of a context, in double precision. */
export interface Products {
  toQuery: Float64Array
  squares: Float64Array
}

/** S or the graph in an engine's memory: a similarity of each row of a context to each. */
export interface Square {
  /** m: the query and its candidates. */
  readonly rows: number
  row(i: number): Float64Array
  diagonal(): Float64Array
  /** All rows in the engine's memory, to be read before its next step. */
  view(): Lists<Float32Array>
  /** Inner products become cosines. */
  toCosines(): void
  /** Gives rows without a vector, whose cosines are 0, the mean cosines of the others. */
  fill(missing: readonly number[]): void
  /** Divides each row by its largest value or its mean. */
  scale(rowScaling: RowScaling): void
}

/** The texts of a context in an engine's memory. */
export interface Texts {
  /** S of their words. */
  similarity(): Square
  /** W, the BM25 score of each row; 0 for the query. */
  scores(settings: WordsSettings): Float64Array
  /** The parts of the query's terms that each row has: in a window, in its title, anywhere. */
  matches(settings: MatchSettings): QueryMatches
}

/** Lists of numbers one after the other, or rows of a square, each `stride` long. */
export interface Lists<T extends Float32Array | Uint32Array> {
  data: T
  stride: number
}

/** The settings of neighbors and of their vectors. */
export type NeighborSettings = Pick<
  Settings,
  'k' | 'kExp' | 'trust' | 'overlap' | 'weight' | 'weightParameter'
>

/** A row of V that is mostly zero: its columns, ascending, and their weights. */
export interface NeighborVector {
  columns: Uint32Array
  weights: Float32Array
}

/** The neighbors of each row of a graph, and their vectors V. */
export interface Neighborhoods {
  /** s_J(probe, ·). */
  jaccard(probe: number): Float64Array
  /** rank[i], k + 1 neighbors each. */
  ranks(): Uint32Array[]
  /** R(i), or R*(i) with trust. */
  reciprocals(): Uint32Array[]
  vector(i: number): NeighborVector
}

/**
 * The steps of docs/method.md sections 1 to 4: similarities, graph, neighbors, Jaccard. A step takes
 * what the step before it returned: a square, texts or neighborhoods in the engine's memory, which
 * are there until the scope ends that made them, or the engine is released. Typed arrays that a step
 * returns are copies; rows, diagonals and Jaccards are there until the engine is released, and all are
 * of one class.
 */
export interface Engine {
  readonly kernel: KernelName
  /** Bytes of memory that the engine holds on to. */
  readonly bytes: number
  /** Runs some steps, and gives back their memory. */
  scoped<T>(steps: () => T): T
  /** Gives back the memory of all steps. */
  release(): void

  /** The inner products of vectors with the first, the query's, and with themselves. */
  products(vectors: VectorRows): Products
  /** S of vectors: their inner products. */
  gram(vectors: VectorRows): Square
  /** S as computed before: the first rows and columns of a square, or the named ones. */
  square(rows: number, from: Lists<Float32Array>, chosen?: ArrayLike<number>): Square
  texts(postings: Postings): Texts
  /** S, times a weight, joins a graph or starts one. Both squares become the graph. */
  blend(graph: Square | undefined, s: Square, weight: number): Square
  /** Sections 2 and 3 over a graph; `ranks` are its k + 1 or more nearest neighbors as found before. */
  neighbors(graph: Square, settings: NeighborSettings, ranks?: Lists<Uint32Array>): Neighborhoods
}
