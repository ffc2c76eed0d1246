import { weightFunctions } from '../method/neighbor-steps.ts'
import { fillMissing } from '../method/similarity-steps.ts'
import type { RowScaling, Settings } from '../settings/settings.ts'
import type { Postings } from '../text/postings.ts'
import { frequencyWeight, inverseFrequency } from '../text/text-similarity.ts'
import { meanLength, queryTerms, termWeights, type WordsSettings } from '../text/words-score.ts'
import { membersOf } from './bit-set.ts'
import { copyBlock, copyChosen } from './copy-block.ts'
import type { Engine, KernelName, NeighborVector, Products, Shape } from './engine.ts'
import { FREQUENCIES, type Layout, layOut } from './layout.ts'
import { reserve } from './reserve.ts'
import { instantiate, type WasmExports } from './wasm-exports.ts'

/** 1 + ln tf by tf; a text never has a term 0 times. */
const frequencies = Float32Array.from({ length: FREQUENCIES }, (_, tf) => frequencyWeight(tf || 1))

/** The method in WebAssembly, with a memory of its own that grows with the largest context. */
export class WasmEngine implements Engine {
  readonly #memory = new WebAssembly.Memory({ initial: 1 })
  readonly #wasm: WasmExports
  #shape!: Shape
  #layout!: Layout
  #dimensions = 0
  /** The graph is S itself unless views are blended, and no longer symmetric once scaled. */
  #graph = 0
  #symmetric = true
  #sets = 0
  #floats!: Float32Array
  #integers!: Uint32Array
  /** The postings that are in the memory already. */
  #placed: Postings | undefined

  constructor(
    readonly kernel: KernelName,
    module: WebAssembly.Module,
  ) {
    this.#wasm = instantiate(module, this.#memory)
  }

  get bytes(): number {
    return this.#memory.buffer.byteLength
  }

  open(shape: Shape): void {
    this.#shape = shape
    this.#layout = layOut(shape)
    reserve(this.#memory, this.#layout.end, shape.rows - 1)
    // Growing replaces the buffer.
    this.#floats = new Float32Array(this.#memory.buffer)
    this.#integers = new Uint32Array(this.#memory.buffer)
    this.#clear(this.#layout.sums, shape.rows * 2)
    this.#clear(this.#layout.dense, shape.rows)
    this.#symmetric = true
    this.#placed = undefined
  }

  vectors(dimensions: number): { data: Float32Array; stride: number } {
    const { x, rows } = this.#layout
    const stride = (dimensions + 3) & ~3
    this.#dimensions = stride
    if (stride !== dimensions) this.#clear(x, rows * stride)
    else this.#clear(x + this.#shape.rows * stride * 4, (rows - this.#shape.rows) * stride)
    return { data: this.#floats.subarray(x / 4, x / 4 + rows * stride), stride }
  }

  gram(): void {
    const { x, s, rows } = this.#layout
    this.#wasm.gram(x, rows, this.#dimensions, s, 0)
  }

  products(): Products {
    const { x, scores, lengths } = this.#layout
    this.#wasm.products(x, this.#shape.rows, this.#dimensions, scores, lengths)
    return { toQuery: this.#doublesAt(scores), squares: this.#doublesAt(lengths) }
  }

  words(postings: Postings, settings: WordsSettings): Float64Array {
    const at = this.#layout
    const count = this.#shape.rows
    this.#place(postings)
    const query = queryTerms(postings)
    const terms = query.hashes.length
    // A small table for the few terms of a query stays in the fastest cache.
    const slots = Math.min(at.slots, 2 ** Math.ceil(Math.log2(terms * 4 + 2)))
    const candidates = at.terms
    const found = candidates + terms * 4
    const weights = found + terms * 4
    const { postings: from, texts, table, lists: matches, lengths, scores } = at
    this.#wasm.matchTerms(from, texts, count, table, slots, matches, candidates, lengths)
    const counts = this.#integers.subarray(candidates / 4, candidates / 4 + terms)
    const { k1, b } = settings
    const mean = meanLength(this.#doublesAt(lengths), settings)
    new Float64Array(this.#memory.buffer, weights, terms).set(
      termWeights(query, counts, count - 1, settings),
    )
    this.#wasm.scoreWords(from, texts, count, matches, lengths, weights, found, k1, b, mean, scores)
    return this.#doublesAt(scores)
  }

  text(postings: Postings): void {
    const at = this.#layout
    const count = this.#shape.rows
    this.#place(postings)
    for (let df = 1; df < count; df++) {
      this.#floats[at.idf / 4 + df] = inverseFrequency(count - 1, df)
    }
    this.#floats.set(frequencies, at.frequencies / 4)
    this.#wasm.text(
      at.postings,
      at.texts,
      count,
      at.rows,
      at.idf,
      at.frequencies,
      at.table,
      at.slots,
      at.terms,
      at.lists,
      at.x,
      at.s,
    )
  }

  load(data: Float32Array, stride: number, chosen?: ArrayLike<number>): void {
    const { s, rows } = this.#layout
    const to = { data: this.#floats, at: s / 4, stride: rows }
    if (chosen) copyChosen({ data, at: 0, stride }, to, chosen)
    else copyBlock({ data, at: 0, stride }, to, this.#shape.rows, this.#shape.rows)
  }

  fill(missing: readonly number[]): void {
    const { s, rows } = this.#layout
    fillMissing(this.#floats.subarray(s / 4), this.#shape.rows, rows, missing)
  }

  cosine(): void {
    const { s, rows, lengths } = this.#layout
    this.#wasm.cosine(s, this.#shape.rows, rows, lengths)
  }

  diagonal(): Float32Array {
    const { s, rows } = this.#layout
    const diagonal = new Float32Array(this.#shape.rows)
    for (let i = 0; i < diagonal.length; i++) diagonal[i] = this.#floats[s / 4 + i * (rows + 1)]!
    return diagonal
  }

  row(i: number): Float32Array {
    return this.#rowAt(this.#layout.s, i)
  }

  adopt(): void {
    this.#graph = this.#layout.s
  }

  blend(weight: number, first: boolean): void {
    const { s, graph, rows } = this.#layout
    this.#graph = graph
    this.#wasm.blend(s, graph, rows, weight, Number(first))
  }

  scale(rowScaling: RowScaling): void {
    if (rowScaling === 'none') return
    this.#wasm.scale(
      this.#graph,
      this.#shape.rows,
      this.#layout.rows,
      Number(rowScaling === 'mean'),
    )
    this.#symmetric = false
  }

  graphRow(i: number): Float32Array {
    return this.#rowAt(this.#graph, i)
  }

  rank(): void {
    const { ranks, rows, values, found, seen } = this.#layout
    const { rows: count, k } = this.#shape
    this.#wasm.rank(this.#graph, count, rows, k + 1, ranks, values, found, seen)
  }

  loadRanks(data: Uint32Array, stride: number): void {
    const keep = this.#shape.k + 1
    const to = { data: this.#integers, at: this.#layout.ranks / 4, stride: keep }
    copyBlock({ data, at: 0, stride }, to, this.#shape.rows, keep)
  }

  reciprocal({ overlap }: Pick<Settings, 'overlap'>): void {
    const { sets, closer, extended, words, trusted } = this.#layout
    const { rows: count, k, trust } = this.#shape
    this.#reciprocal(k, sets)
    this.#sets = sets
    if (trust === 0) return
    this.#reciprocal(trusted, closer)
    this.#wasm.extend(sets, closer, extended, count, words, overlap)
    this.#sets = extended
  }

  #reciprocal(n: number, into: number): void {
    const { ranks, rows, values, words } = this.#layout
    const { rows: count, k } = this.#shape
    const line = rows * 4
    const across = this.#symmetric ? 4 : line
    const down = this.#symmetric ? line : 4
    this.#wasm.reciprocal(this.#graph, count, across, down, ranks, k + 1, n, values, into, words)
  }

  weigh({ weight, weightParameter }: Pick<Settings, 'weight' | 'weightParameter'>): void {
    const at = this.#layout
    const { rows: count, k } = this.#shape
    this.#wasm.weigh(
      this.#graph,
      count,
      at.rows,
      this.#sets,
      at.words,
      weightFunctions[weight].code,
      weightParameter,
      at.starts,
      at.columns,
      at.weights,
    )
    if (this.#shape.kExp <= 1) return
    this.#wasm.expand(
      count,
      at.ranks,
      k + 1,
      at.nearest,
      this.#sets,
      at.words,
      at.starts,
      at.columns,
      at.weights,
      at.sums,
      at.union,
      at.expandedStarts,
      at.expandedColumns,
      at.expandedWeights,
    )
  }

  jaccard(probe: number): Float32Array {
    const { dense, out } = this.#layout
    const { starts, columns, weights } = this.#neighborVectors()
    const count = this.#shape.rows
    this.#wasm.jaccard(probe, count, starts, columns, weights, dense, out)
    return this.#floats.slice(out / 4, out / 4 + count)
  }

  ranks(): Uint32Array[] {
    const keep = this.#shape.k + 1
    const from = this.#layout.ranks / 4
    return Array.from({ length: this.#shape.rows }, (_, i) =>
      this.#integers.slice(from + i * keep, from + (i + 1) * keep),
    )
  }

  reciprocals(): Uint32Array[] {
    const { words } = this.#layout
    const from = this.#sets / 4
    return Array.from({ length: this.#shape.rows }, (_, i) => {
      const start = from + i * words * 2
      return membersOf(this.#integers.subarray(start, start + words * 2))
    })
  }

  neighborVector(i: number): NeighborVector {
    const { starts, columns, weights } = this.#neighborVectors()
    const from = this.#integers[starts / 4 + i]!
    let to = this.#integers[starts / 4 + i + 1]!
    // The padding that makes a row's length a multiple of 4 has no weight.
    while (to > from && this.#floats[weights / 4 + to - 1] === 0) to--
    return {
      columns: this.#integers.slice(columns / 4 + from, columns / 4 + to),
      weights: this.#floats.slice(weights / 4 + from, weights / 4 + to),
    }
  }

  #neighborVectors(): { starts: number; columns: number; weights: number } {
    const at = this.#layout
    if (this.#shape.kExp <= 1) return at
    return {
      starts: at.expandedStarts,
      columns: at.expandedColumns,
      weights: at.expandedWeights,
    }
  }

  #place(postings: Postings): void {
    if (this.#placed === postings) return
    this.#placed = postings
    const { postings: at, texts } = this.#layout
    this.#integers.set(postings.used(), at / 4)
    this.#integers.set(postings.starts, texts / 4)
  }

  #doublesAt(pointer: number): Float64Array {
    return new Float64Array(this.#memory.buffer, pointer, this.#shape.rows).slice()
  }

  #rowAt(square: number, i: number): Float32Array {
    const from = square / 4 + i * this.#layout.rows
    return this.#floats.slice(from, from + this.#shape.rows)
  }

  #clear(pointer: number, words: number): void {
    this.#floats.fill(0, pointer / 4, pointer / 4 + words)
  }
}
