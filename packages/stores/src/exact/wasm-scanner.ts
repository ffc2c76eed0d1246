import { badScore } from './finite.ts'
import { ScanError } from './scan-error.ts'
import type { Batch, Best, Block, Scanner } from './scanner.ts'
import { type Layout, layoutFor, type WasmExports } from './wasm-layout.ts'

const PAGE = 1 << 16
/** Documents that the inner loop takes at a time, and queries. */
const QUAD = 4
const PAIR = 2

/** The search in WebAssembly: tiles of documents that stay in the cache meet all queries. */
export class WasmScanner implements Scanner {
  readonly #memory = new WebAssembly.Memory({ initial: 1 })
  readonly #wasm: WasmExports
  #batch!: Batch
  #layout!: Layout
  #floats!: Float32Array
  #halves!: Uint16Array
  #integers!: Uint32Array

  constructor(module: WebAssembly.Module) {
    const imports = { env: { memory: this.#memory } }
    this.#wasm = new WebAssembly.Instance(module, imports).exports as unknown as WasmExports
  }

  begin(batch: Batch): void {
    const { rows, dimensions, data } = batch.queries
    const layout = layoutFor(rows, dimensions, batch.top)
    this.#batch = batch
    this.#layout = layout
    this.#reserve(layout.end)
    const { chunks, tileRows, staged, queries, queryInverses } = layout
    const pairBytes = chunks * 16 * PAIR
    // The queries take the documents' way in, a tile at a time.
    for (let q = 0; q < rows; q += tileRows) {
      const count = Math.min(tileRows, rows - q)
      this.#floats.set(data.subarray(q * dimensions, (q + count) * dimensions), staged / 4)
      this.#wasm.packFloats(staged, count, dimensions, PAIR, queries + (q / PAIR) * pairBytes)
    }
    if (batch.cosine) this.#wasm.inverseLengths(queries, rows, chunks, PAIR, queryInverses)
    this.#integers.fill(0, layout.counts / 4, layout.counts / 4 + rows)
    this.#floats.fill(-Infinity, layout.thresholds / 4, layout.thresholds / 4 + rows)
  }

  scan(block: Block): void {
    const { dimensions } = this.#batch.queries
    const { tileRows } = this.#layout
    const rows = block.data.length / dimensions
    for (let from = 0; from < rows; from += tileRows) {
      this.#scanTile(block, from, Math.min(tileRows, rows - from))
    }
  }

  finish(): Best {
    const { top, queries } = this.#batch
    const { room, bestScores, bestRows, sorting, places } = this.#layout
    const counts = new Uint32Array(queries.rows)
    const rows = new Uint32Array(queries.rows * top)
    const scores = new Float32Array(queries.rows * top)
    for (let q = 0; q < queries.rows; q++) {
      const found = this.#integers[this.#layout.counts / 4 + q]!
      const ownScores = bestScores + q * room * 4
      const ownRows = bestRows + q * room * 4
      this.#wasm.sort(ownScores, ownRows, found, sorting, places)
      const count = Math.min(found, top)
      scores.set(this.#floats.subarray(ownScores / 4, ownScores / 4 + count), q * top)
      rows.set(this.#integers.subarray(ownRows / 4, ownRows / 4 + count), q * top)
      counts[q] = count
    }
    return { counts, rows, scores }
  }

  #scanTile(block: Block, from: number, count: number): void {
    const { queries, top, cosine, firstQuery } = this.#batch
    const { dimensions } = queries
    const layout = this.#layout
    const { staged, tile, chunks } = layout
    const part = block.data.subarray(from * dimensions, (from + count) * dimensions)
    if (part instanceof Float32Array) {
      this.#floats.set(part, staged / 4)
      this.#wasm.packFloats(staged, count, dimensions, QUAD, tile)
    } else {
      this.#halves.set(part, staged / 2)
      this.#wasm.packHalves(staged, count, dimensions, QUAD, tile)
    }
    const padded = Math.ceil(count / QUAD) * QUAD
    if (cosine) this.#wasm.inverseLengths(tile, padded, chunks, QUAD, layout.tileInverses)
    const bad = this.#wasm.scan(
      layout.queries,
      queries.rows,
      cosine ? layout.queryInverses : 0,
      tile,
      count,
      layout.tileInverses,
      block.firstRow + from,
      chunks,
      layout.scores,
      top,
      layout.room,
      layout.counts,
      layout.thresholds,
      layout.bestScores,
      layout.bestRows,
    )
    if (bad >= 0) {
      const line = layout.scores / 4 + (bad % PAIR) * padded
      const scores = this.#floats.subarray(line, line + count)
      const document = from + scores.findIndex((score) => !Number.isFinite(score))
      throw badScore(block, document, dimensions, firstQuery + bad)
    }
  }

  #reserve(bytes: number): void {
    const pages = Math.ceil((bytes - this.#memory.buffer.byteLength) / PAGE)
    try {
      if (pages > 0) this.#memory.grow(pages)
    } catch {
      const { queries, top } = this.#batch
      throw new ScanError(
        'OUT_OF_MEMORY',
        `searching ${queries.rows} queries for the top ${top} takes ${bytes} bytes in one worker; ask for fewer`,
      )
    }
    this.#floats = new Float32Array(this.#memory.buffer)
    this.#halves = new Uint16Array(this.#memory.buffer)
    this.#integers = new Uint32Array(this.#memory.buffer)
  }
}
