import { fillMissing } from '../method/similarity-steps.ts'
import type { RowScaling } from '../settings/settings.ts'
import type { Postings } from '../text/postings.ts'
import { copyBlock, copyChosen } from './copy-block.ts'
import type {
  Engine,
  KernelName,
  Lists,
  Neighborhoods,
  NeighborSettings,
  Products,
  Square,
  Texts,
  VectorRows,
} from './engine.ts'
import { instantiate, type WasmExports } from './wasm-exports.ts'
import { WasmMemory } from './wasm-memory.ts'
import { WasmNeighborhoods } from './wasm-neighborhoods.ts'
import { WasmTexts } from './wasm-texts.ts'

/** The method in WebAssembly, with separate memory that grows with the largest context. */
export class WasmEngine implements Engine {
  readonly #memory = new WasmMemory()
  readonly #wasm: WasmExports

  constructor(
    readonly kernel: KernelName,
    module: WebAssembly.Module,
  ) {
    this.#wasm = instantiate(module, this.#memory.memory)
  }

  get bytes(): number {
    return this.#memory.bytes
  }

  scoped<T>(steps: () => T): T {
    const { end } = this.#memory
    try {
      return steps()
    } finally {
      this.#memory.release(end)
    }
  }

  release(): void {
    this.#memory.clear()
  }

  products(vectors: VectorRows): Products {
    const { count } = vectors
    const memory = this.#memory
    const { end } = memory
    const { x, stride } = this.#place(vectors)
    const toQuery = memory.take(count * 8)
    const squares = memory.take(count * 8)
    this.#wasm.products(x, count, stride, toQuery, squares)
    memory.release(end)
    return { toQuery: memory.doubles(toQuery, count), squares: memory.doubles(squares, count) }
  }

  gram(vectors: VectorRows): WasmSquare {
    const s = this.#newSquare(vectors.count)
    const { end } = this.#memory
    const { x, stride } = this.#place(vectors)
    this.#wasm.gram(x, vectors.count, s.stride, stride, s.at, 0)
    this.#memory.release(end)
    return s
  }

  square(rows: number, { data, stride }: Lists<Float32Array>, chosen?: ArrayLike<number>): Square {
    const s = this.#newSquare(rows)
    const to = { data: this.#memory.floats, at: s.at / 4, stride: s.stride }
    if (chosen) copyChosen({ data, at: 0, stride }, to, chosen)
    else copyBlock({ data, at: 0, stride }, to, rows, rows)
    return s
  }

  texts(postings: Postings): Texts {
    return new WasmTexts(this.#memory, this.#wasm, postings, (rows) => this.#newSquare(rows))
  }

  blend(graph: WasmSquare | undefined, s: WasmSquare, weight: number): WasmSquare {
    const sum = graph ?? s
    this.#wasm.blend(s.at, sum.at, s.stride, weight, Number(sum === s))
    if (sum !== s) this.#memory.free(s.at, s.stride * s.stride * 4)
    return sum
  }

  neighbors(
    graph: WasmSquare,
    settings: NeighborSettings,
    ranks?: Lists<Uint32Array>,
  ): Neighborhoods {
    return new WasmNeighborhoods(this.#memory, this.#wasm, graph, settings, ranks)
  }

  #newSquare(rows: number): WasmSquare {
    return new WasmSquare(this.#memory, this.#wasm, rows)
  }

  /** Copies vectors to where a kernel finds them: rows and lengths are multiples of 4, filled with 0. */
  #place(vectors: VectorRows): { x: number; stride: number } {
    const { count, dimensions } = vectors
    const rows = (count + 3) & ~3
    const stride = (dimensions + 3) & ~3
    const x = this.#memory.takeWords(rows * stride)
    const { floats } = this.#memory
    const from = x / 4
    floats.fill(0, from + (stride === dimensions ? count * stride : 0), from + rows * stride)
    vectors.copyTo(floats, from, stride)
    return { x, stride }
  }
}

/** A square in the memory of a compiled kernel. */
export class WasmSquare implements Square {
  /** Rows and columns that there is room for, a multiple of 4. */
  readonly stride: number
  /** The address of the matrix. */
  readonly at: number
  /** Whether S[i, j] is S[j, i]: no longer once the rows are scaled. */
  symmetric = true
  readonly #memory: WasmMemory
  readonly #wasm: WasmExports

  constructor(
    memory: WasmMemory,
    wasm: WasmExports,
    readonly rows: number,
  ) {
    this.#memory = memory
    this.#wasm = wasm
    this.stride = (rows + 3) & ~3
    this.at = memory.takeWords(this.stride * this.stride)
  }

  row(i: number): Float64Array {
    return this.#memory.everyFloat(this.at + i * this.stride * 4, this.rows)
  }

  diagonal(): Float64Array {
    return this.#memory.everyFloat(this.at, this.rows, this.stride + 1)
  }

  view(): Lists<Float32Array> {
    const { stride } = this
    const from = this.at / 4
    return { data: this.#memory.floats.subarray(from, from + stride * stride), stride }
  }

  toCosines(): void {
    const lengths = this.#memory.take(this.stride * 8)
    this.#wasm.cosine(this.at, this.rows, this.stride, lengths)
    this.#memory.release(lengths)
  }

  fill(missing: readonly number[]): void {
    fillMissing(this.#memory.floats.subarray(this.at / 4), this.rows, this.stride, missing)
  }

  scale(rowScaling: RowScaling): void {
    if (rowScaling === 'none') return
    this.#wasm.scale(this.at, this.rows, this.stride, Number(rowScaling === 'mean'))
    this.symmetric = false
  }
}
