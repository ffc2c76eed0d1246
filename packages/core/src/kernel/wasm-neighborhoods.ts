import { trustedCount, weightFunctions } from '../method/neighbor-steps.ts'
import { copyBlock } from './copy-block.ts'
import type { Lists, Neighborhoods, NeighborSettings, NeighborVector } from './engine.ts'
import type { WasmSquare } from './wasm-engine.ts'
import type { WasmExports } from './wasm-exports.ts'
import type { WasmMemory } from './wasm-memory.ts'

/** Bytes in front of the ranks, as in assembly/neighbors.ts: words with the addresses of all else. */
const ADDRESSES = 32
const SETS = 0
const STARTS = 1
const COLUMNS = 2
const WEIGHTS = 3

/** Neighbors and their vectors in the memory of a compiled kernel; pointers are byte offsets. */
export class WasmNeighborhoods implements Neighborhoods {
  readonly #memory: WasmMemory
  readonly #wasm: WasmExports
  readonly #rows: number
  /** k + 1. */
  readonly #keep: number
  /** The address of everything here. */
  readonly #room: number

  constructor(
    memory: WasmMemory,
    wasm: WasmExports,
    { at, rows, stride, symmetric }: WasmSquare,
    settings: NeighborSettings,
    known: Lists<Uint32Array> | undefined,
  ) {
    this.#memory = memory
    this.#wasm = wasm
    this.#rows = rows
    const { trust, overlap, weight, weightParameter, kExp } = settings
    const k = Math.min(settings.k, rows - 1)
    const keep = k + 1
    this.#keep = keep
    const trusted = trust > 0 ? trustedCount(trust, k) : -1
    const nearest = Math.min(kExp, keep)
    // The most entries of a neighbor vector, and of a mean of them.
    const width = Math.min(stride, (keep * (trusted + 2) + 3) & ~3)
    const wide = Math.min(stride, nearest * width)
    // Of each row: its ranks, three bit sets, two vectors, and less than ten more numbers.
    const words = keep + 6 * Math.ceil(rows / 64) + 2 * (width + wide) + 10
    this.#room = memory.takeWords(stride * words + 64)
    if (known) {
      const to = { data: memory.integers, at: (this.#room + ADDRESSES) / 4, stride: keep }
      copyBlock({ ...known, at: 0 }, to, rows, keep)
    }
    wasm.neighbors(
      at,
      rows,
      stride,
      Number(symmetric),
      keep,
      known ? 1 : 0,
      trusted,
      overlap,
      weightFunctions[weight].code,
      weightParameter,
      nearest,
      width,
      wide,
      this.#room,
    )
  }

  jaccard(probe: number): Float64Array {
    const out = this.#wasm.jaccard(this.#room, probe, this.#rows)
    return this.#memory.everyFloat(out, this.#rows)
  }

  ranks(): Uint32Array[] {
    const from = (this.#room + ADDRESSES) / 4
    return Array.from({ length: this.#rows }, (_, i) =>
      this.#memory.integers.slice(from + i * this.#keep, from + (i + 1) * this.#keep),
    )
  }

  reciprocals(): Uint32Array[] {
    const length = Math.ceil(this.#rows / 64) * 2
    const sets = this.#place(SETS)
    return Array.from({ length: this.#rows }, (_, i) => {
      const start = sets + i * length
      return membersOf(this.#memory.integers.subarray(start, start + length))
    })
  }

  vector(i: number): NeighborVector {
    const { integers, floats } = this.#memory
    const starts = this.#place(STARTS)
    const columns = this.#place(COLUMNS)
    const weights = this.#place(WEIGHTS)
    const from = integers[starts + i]!
    let to = integers[starts + i + 1]!
    // The padding that makes a row's length a multiple of 4 has no weight.
    while (to > from && floats[weights + to - 1] === 0) to--
    return {
      columns: integers.slice(columns + from, columns + to),
      weights: floats.slice(weights + from, weights + to),
    }
  }

  /** Where something begins, in words. */
  #place(address: number): number {
    return this.#memory.integers[this.#room / 4 + address]! / 4
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
