import type { RowScaling, Settings } from '../settings/settings.ts'
import type { Postings } from '../text/postings.ts'
import type { WordsSettings } from '../text/words-score.ts'

/** The implementations of the method, fastest first. */
export type KernelName = 'relaxed-simd' | 'simd' | 'typescript'

/** How much room a context needs. */
export interface Shape {
  /** m: the query and its candidates. */
  rows: number
  /** The longest vector of any view. */
  dimensions: number
  /** Postings of all texts together. */
  postings: number
  /** Whether several views are blended into the graph. */
  blended: boolean
  /** k, at most m − 1. */
  k: number
  kExp: number
  trust: number
}

/** A row of V that is mostly zero: its columns, ascending, and their weights. */
export interface NeighborVector {
  columns: Uint32Array
  weights: Float32Array
}

/** Inner products of each row of a context, in double precision. */
export interface Products {
  toQuery: Float64Array
  squares: Float64Array
}

/**
 * The steps of docs/method.md sections 1 to 4 over one context at a time, in their
 * order: similarities, graph, neighbors, neighbor vectors, Jaccard. Everything
 * that an engine returns is a copy that outlives the context.
 */
export interface Engine {
  readonly kernel: KernelName
  /** Bytes of memory that the engine holds on to. */
  readonly bytes: number

  /** Starts a context. */
  open(shape: Shape): void
  /** Where the rows of a view are written, row i from i · stride on, before `gram`. */
  vectors(dimensions: number): { data: Float32Array; stride: number }
  /** S of the vectors written last. */
  gram(): void
  /** The inner products of the vectors written last with the query's and with themselves. */
  products(): Products
  /** W, the words score of each row; 0 for the query. */
  words(postings: Postings, settings: WordsSettings): Float64Array
  /** S of the texts' words. */
  text(postings: Postings): void
  /**
   * S as it was computed before: the first rows and columns of a square with rows of `stride`, or
   * those that are named.
   */
  load(square: Float32Array, stride: number, rows?: ArrayLike<number>): void
  /** Gives rows without a vector, whose cosines are 0, the mean cosines of the others. */
  fill(missing: readonly number[]): void
  /** S becomes its cosine. */
  cosine(): void
  /** S[i, i] for all rows. */
  diagonal(): Float32Array
  /** S[i, ·]. */
  row(i: number): Float32Array

  /** S is the graph. */
  adopt(): void
  /** S joins the graph with a weight; the first one starts it. */
  blend(weight: number, first: boolean): void
  /** Scales the rows of the graph. */
  scale(rowScaling: RowScaling): void
  graphRow(i: number): Float32Array

  /** rank[i], k + 1 neighbors each. */
  rank(): void
  /** rank[i] as it was found before: the first k + 1 of lists of `stride`. */
  loadRanks(ranks: Uint32Array, stride: number): void
  /** R(i), or R*(i) with trust. */
  reciprocal(settings: Pick<Settings, 'overlap'>): void
  /** V, expanded. */
  weigh(settings: Pick<Settings, 'weight' | 'weightParameter'>): void
  /** s_J(probe, ·). */
  jaccard(probe: number): Float32Array

  ranks(): Uint32Array[]
  reciprocals(): Uint32Array[]
  neighborVector(i: number): NeighborVector
}
