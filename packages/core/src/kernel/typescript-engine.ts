import type { Matrix } from '../matrix.ts'
import {
  expandWeights,
  extendedSets,
  jaccardTo,
  neighborWeights,
  rankRows,
} from '../method/neighbor-steps.ts'
import { cosine, fillMissing, gram, products, scaleRows } from '../method/similarity-steps.ts'
import type { RowScaling, Settings } from '../settings/settings.ts'
import type { Postings } from '../text/postings.ts'
import { textSimilarity } from '../text/text-similarity.ts'
import { type WordsSettings, wordsScores } from '../text/words-score.ts'
import { copyBlock, copyChosen } from './copy-block.ts'
import type { Engine, NeighborVector, Products, Shape } from './engine.ts'

/** The method in plain TypeScript: the fallback where WebAssembly SIMD is missing, and the tests' oracle. */
export class TypeScriptEngine implements Engine {
  readonly kernel = 'typescript'
  readonly bytes = 0
  #shape!: Shape
  #vectors!: Matrix
  #s!: Float32Array
  #graph!: Float32Array
  #rank!: Uint32Array[]
  #sets!: Set<number>[]
  #v!: Float32Array

  open(shape: Shape): void {
    this.#shape = shape
  }

  vectors(dimensions: number): { data: Float32Array; stride: number } {
    const { rows } = this.#shape
    this.#vectors = { data: new Float32Array(rows * dimensions), rows, dimensions }
    return { data: this.#vectors.data, stride: dimensions }
  }

  gram(): void {
    this.#s = gram(this.#vectors)
  }

  products(): Products {
    return products(this.#vectors)
  }

  words(postings: Postings, settings: WordsSettings): Float64Array {
    return wordsScores(postings, settings)
  }

  text(postings: Postings): void {
    this.#s = textSimilarity(postings)
  }

  load(data: Float32Array, stride: number, chosen?: ArrayLike<number>): void {
    const { rows } = this.#shape
    this.#s = new Float32Array(rows * rows)
    const to = { data: this.#s, at: 0, stride: rows }
    if (chosen) copyChosen({ data, at: 0, stride }, to, chosen)
    else copyBlock({ data, at: 0, stride }, to, rows, rows)
  }

  fill(missing: readonly number[]): void {
    fillMissing(this.#s, this.#shape.rows, this.#shape.rows, missing)
  }

  cosine(): void {
    cosine(this.#s, this.#shape.rows)
  }

  diagonal(): Float32Array {
    const { rows } = this.#shape
    return Float32Array.from({ length: rows }, (_, i) => this.#s[i * rows + i]!)
  }

  row(i: number): Float32Array {
    return this.#rowOf(this.#s, i)
  }

  adopt(): void {
    this.#graph = this.#s
  }

  blend(weight: number, first: boolean): void {
    if (first) this.#graph = new Float32Array(this.#s.length)
    // Rounded after each step, as the compiled kernels do it: ties of the graph are theirs too.
    const factor = Math.fround(weight)
    for (let i = 0; i < this.#s.length; i++) this.#graph[i]! += Math.fround(factor * this.#s[i]!)
  }

  scale(rowScaling: RowScaling): void {
    scaleRows(this.#graph, this.#shape.rows, rowScaling)
  }

  graphRow(i: number): Float32Array {
    return this.#rowOf(this.#graph, i)
  }

  rank(): void {
    this.#rank = rankRows(this.#graph, this.#shape.rows, this.#shape.k)
  }

  loadRanks(ranks: Uint32Array, stride: number): void {
    const { rows, k } = this.#shape
    this.#rank = Array.from({ length: rows }, (_, i) => ranks.slice(i * stride, i * stride + k + 1))
  }

  reciprocal({ overlap }: Pick<Settings, 'overlap'>): void {
    this.#sets = extendedSets(this.#rank, this.#shape.k, this.#shape.trust, overlap)
  }

  weigh({ weight, weightParameter }: Pick<Settings, 'weight' | 'weightParameter'>): void {
    const v = neighborWeights(this.#graph, this.#sets, weight, weightParameter)
    this.#v = expandWeights(v, this.#rank, this.#shape.kExp)
  }

  jaccard(probe: number): Float32Array {
    return jaccardTo(this.#v, this.#shape.rows, probe)
  }

  ranks(): Uint32Array[] {
    return this.#rank
  }

  reciprocals(): Uint32Array[] {
    return this.#sets.map((set) => Uint32Array.from(set).sort())
  }

  neighborVector(i: number): NeighborVector {
    const row = this.#rowOf(this.#v, i)
    const columns = Uint32Array.from(row.keys()).filter((j) => row[j]! > 0)
    return { columns, weights: Float32Array.from(columns, (j) => row[j]!) }
  }

  #rowOf(square: Float32Array, i: number): Float32Array {
    const { rows } = this.#shape
    return square.slice(i * rows, (i + 1) * rows)
  }
}
