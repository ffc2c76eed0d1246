import { trustedCount, weightFunctions } from '../method/neighbor-steps.ts'
import { copyBlock } from './copy-block.ts'
import type { Lists, Neighborhoods, NeighborSettings, NeighborVector } from './engine.ts'
import type { WasmSquare } from './wasm-engine.ts'
import type { WasmExports } from './wasm-exports.ts'
import type { WasmMemory } from './wasm-memory.ts'

/** Rows of V without their zeros: where each row starts, its columns and their weights. */
interface Vectors {
  starts: number
  columns: number
  weights: number
}

/** Neighbors and their vectors in the memory of a compiled kernel; pointers are byte offsets. */
export class WasmNeighborhoods implements Neighborhoods {
  readonly #memory: WasmMemory
  readonly #wasm: WasmExports
  readonly #graph: WasmSquare
  /** k + 1. */
  readonly #keep: number
  /** 64-bit words of a bit set. */
  readonly #words: number
  readonly #ranks: number
  readonly #sets: number
  readonly #vectors: Vectors
  /** Room for a row of V, all 0, and for the Jaccards. */
  readonly #dense: number
  readonly #out: number

  constructor(
    memory: WasmMemory,
    wasm: WasmExports,
    graph: WasmSquare,
    settings: NeighborSettings,
    known: Lists<Uint32Array> | undefined,
  ) {
    this.#memory = memory
    this.#wasm = wasm
    this.#graph = graph
    const count = graph.rows
    const k = Math.min(settings.k, count - 1)
    const trusted = trustedCount(settings.trust, k)
    this.#keep = k + 1
    this.#words = Math.ceil(count / 64)
    this.#ranks = this.#findRanks(known)
    this.#sets = this.#findSets(k, trusted, settings)
    // Maximum number of entries of a neighbor vector.
    const entries =
      settings.trust > 0 ? Math.min(count, this.#keep + this.#keep * (trusted + 1)) : this.#keep
    this.#vectors = this.#expand(this.#weigh(entries, settings), entries, settings.kExp)
    this.#dense = memory.takeZeros(count)
    this.#out = memory.takeWords(count)
  }

  jaccard(probe: number): Float32Array {
    const { starts, columns, weights } = this.#vectors
    const count = this.#graph.rows
    this.#wasm.jaccard(probe, count, starts, columns, weights, this.#dense, this.#out)
    return this.#memory.floatsAt(this.#out, count)
  }

  ranks(): Uint32Array[] {
    const from = this.#ranks / 4
    return Array.from({ length: this.#graph.rows }, (_, i) =>
      this.#memory.integers.slice(from + i * this.#keep, from + (i + 1) * this.#keep),
    )
  }

  reciprocals(): Uint32Array[] {
    const length = this.#words * 2
    return Array.from({ length: this.#graph.rows }, (_, i) => {
      const start = this.#sets / 4 + i * length
      return membersOf(this.#memory.integers.subarray(start, start + length))
    })
  }

  vector(i: number): NeighborVector {
    const { starts, columns, weights } = this.#vectors
    const { integers, floats } = this.#memory
    const from = integers[starts / 4 + i]!
    let to = integers[starts / 4 + i + 1]!
    // The padding that makes a row's length a multiple of 4 has no weight.
    while (to > from && floats[weights / 4 + to - 1] === 0) to--
    return {
      columns: integers.slice(columns / 4 + from, columns / 4 + to),
      weights: floats.slice(weights / 4 + from, weights / 4 + to),
    }
  }

  #findRanks(known: Lists<Uint32Array> | undefined): number {
    const memory = this.#memory
    const { at, rows: count, stride } = this.#graph
    const keep = this.#keep
    const ranks = memory.takeWords(count * keep + stride)
    if (known) {
      const to = { data: memory.integers, at: ranks / 4, stride: keep }
      copyBlock({ ...known, at: 0 }, to, count, keep)
      return ranks
    }
    const { end } = memory
    const values = memory.takeWords(stride + 4)
    const found = memory.takeWords(stride + 4)
    const seen = memory.takeWords(stride + 4)
    this.#wasm.rank(at, count, stride, keep, ranks, values, found, seen)
    memory.release(end)
    return ranks
  }

  /** R(i), extended if there is trust. */
  #findSets(k: number, trusted: number, { trust, overlap }: NeighborSettings): number {
    const memory = this.#memory
    const count = this.#graph.rows
    const words = this.#words
    const sets = this.#reciprocal(k)
    if (trust === 0) return sets
    const extended = memory.take(count * words * 8)
    const { end } = memory
    this.#wasm.extend(sets, this.#reciprocal(trusted), extended, count, words, overlap)
    memory.release(end)
    return extended
  }

  /** R(i, n). */
  #reciprocal(n: number): number {
    const memory = this.#memory
    const { at, rows: count, stride, symmetric } = this.#graph
    const sets = memory.take(count * this.#words * 8)
    const line = stride * 4
    const { end } = memory
    const limits = memory.takeWords(stride + 4)
    this.#wasm.reciprocal(
      at,
      count,
      symmetric ? 4 : line,
      symmetric ? line : 4,
      this.#ranks,
      this.#keep,
      n,
      limits,
      sets,
      this.#words,
    )
    memory.release(end)
    return sets
  }

  #weigh(entries: number, { weight, weightParameter }: NeighborSettings): Vectors {
    const { at, rows: count, stride } = this.#graph
    const own = this.#takeVectors(entries)
    this.#wasm.weigh(
      at,
      count,
      stride,
      this.#sets,
      this.#words,
      weightFunctions[weight].code,
      weightParameter,
      own.starts,
      own.columns,
      own.weights,
    )
    return own
  }

  /** Averages each vector with the vectors of the nearest rows. */
  #expand(own: Vectors, entries: number, kExp: number): Vectors {
    if (kExp <= 1) return own
    const memory = this.#memory
    const count = this.#graph.rows
    const nearest = Math.min(kExp, this.#keep)
    const expanded = this.#takeVectors(Math.min(count, nearest * entries))
    const { end } = memory
    const sums = memory.takeZeros(count * 2)
    const union = memory.take(this.#words * 8)
    this.#wasm.expand(
      count,
      this.#ranks,
      this.#keep,
      nearest,
      this.#sets,
      this.#words,
      own.starts,
      own.columns,
      own.weights,
      sums,
      union,
      expanded.starts,
      expanded.columns,
      expanded.weights,
    )
    memory.release(end)
    return expanded
  }

  /** Room for vectors of at most this many entries; a row's room is a multiple of 4. */
  #takeVectors(entries: number): Vectors {
    const count = this.#graph.rows
    const room = count * (Math.ceil(entries / 4) * 4) + 4
    const memory = this.#memory
    const starts = memory.takeWords(count + 1)
    return { starts, columns: memory.takeWords(room), weights: memory.takeWords(room) }
  }
}

/** The members of a set of 32-bit words, ascending. */
function membersOf(words: Uint32Array): Uint32Array {
  const members: number[] = []
  words.forEach((word, w) => {
    for (let bits = word; bits !== 0; bits &= bits - 1) {
      members.push(w * 32 + 31 - Math.clz32(bits & -bits))
    }
  })
  return Uint32Array.from(members)
}
