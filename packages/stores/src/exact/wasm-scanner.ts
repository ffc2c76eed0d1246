import { badScore, ScanError } from './finite.ts'
import { CODE_BLOCK, encodeQuery, slackFor } from './query-codes.ts'
import type { Batch, Best, Block, Scanner } from './scanner.ts'
import { type Layout, layoutFor, type WasmExports } from './wasm-layout.ts'

const PAGE = 1 << 16
/** Numbers of documents and of queries that the inner loop processes at a time. */
const QUAD = 4
const PAIR = 2
/** Codes do not pay off in a tile if more than this fraction of all scores is computed anyway. */
const MOST_SCORED = 1 / 4
/** Then this many tiles are scanned without codes; twice as many the next time. */
const FIRST_PAUSE = 16

/**
 * Searches in WebAssembly: each tile of documents stays in the cache while all queries score it.
 */
export class WasmScanner implements Scanner {
  readonly #memory = new WebAssembly.Memory({ initial: 1 })
  readonly #wasm: WasmExports
  #batch!: Batch
  #layout!: Layout
  #floats!: Float32Array
  #halves!: Uint16Array
  #integers!: Uint32Array
  /**
   * Documents scanned, tiles in the next pause of codes, and the document at which codes resume.
   */
  #seen = 0
  #pause = 0
  #resume = 0

  constructor(module: WebAssembly.Module) {
    const imports = { env: { memory: this.#memory } }
    this.#wasm = new WebAssembly.Instance(module, imports).exports as unknown as WasmExports
  }

  begin(batch: Batch): void {
    const { rows, dimensions, data } = batch.queries
    const layout = layoutFor(rows, dimensions, batch.top, batch.codes)
    this.#batch = batch
    this.#layout = layout
    this.#reserve(layout.end)
    const { chunks, tileRows, staged, queries, queryInverses } = layout
    const pairBytes = chunks * 16 * PAIR
    // Queries are packed like documents, one tile at a time.
    for (let q = 0; q < rows; q += tileRows) {
      const count = Math.min(tileRows, rows - q)
      this.#floats.set(data.subarray(q * dimensions, (q + count) * dimensions), staged / 4)
      this.#wasm.packFloats(staged, count, dimensions, PAIR, queries + (q / PAIR) * pairBytes)
    }
    if (batch.cosine) this.#wasm.inverseLengths(queries, rows, chunks, PAIR, queryInverses)
    this.#integers.fill(0, layout.counts / 4, layout.counts / 4 + rows)
    this.#floats.fill(-Infinity, layout.thresholds / 4, layout.thresholds / 4 + rows)
    if (batch.thresholds) this.#floats.set(batch.thresholds, layout.thresholds / 4)
    if (batch.codes) this.#encodeQueries()
    this.#seen = 0
    this.#pause = FIRST_PAUSE
    this.#resume = Infinity
    // Without given thresholds, there are none until candidates are first selected.
    if (batch.codes) this.#resume = batch.thresholds ? 0 : 2 * batch.top
  }

  scan(block: Block): void {
    const { dimensions } = this.#batch.queries
    const { tileRows, codeRows } = this.#layout
    const rows = block.data.length / dimensions
    for (let from = 0; from < rows; ) {
      const coded = this.#seen >= this.#resume
      const count = Math.min(coded ? codeRows : tileRows, rows - from)
      if (coded) this.#scanCodes(block, from, count)
      else this.#scanTile(block, from, count)
      from += count
      this.#seen += count
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

  #encodeQueries(): void {
    const { queries, cosine } = this.#batch
    const layout = this.#layout
    const { dimensions } = queries
    const bytes = new Int8Array(this.#memory.buffer)
    const code = new Int8Array(dimensions)
    this.#floats.set(queries.data.subarray(0, queries.rows * dimensions), layout.queryRows / 4)
    for (let q = 0; q < queries.rows; q++) {
      const vector = queries.data.subarray(q * dimensions, (q + 1) * dimensions)
      const { scale, length, error, offset } = encodeQuery(vector, code)
      const inverse = cosine ? this.#floats[layout.queryInverses / 4 + q]! : 1
      const facts = layout.queryFacts / 4 + q * 4
      this.#floats.set([scale * inverse, length * inverse, error * inverse], facts)
      this.#integers[facts + 3] = offset
      const to = layout.queryCodes + (q - (q % PAIR)) * dimensions + (q % PAIR) * CODE_BLOCK
      for (let i = 0; i < dimensions; i += CODE_BLOCK) {
        bytes.set(code.subarray(i, i + CODE_BLOCK), to + i * PAIR)
      }
    }
  }

  /** Scores the documents of a tile whose codes allow a score above the threshold. */
  #scanCodes(block: Block, from: number, count: number): void {
    const { queries, top, cosine } = this.#batch
    const { dimensions } = queries
    const layout = this.#layout
    const { tile, codes, facts, tileRows } = layout
    const blocks = dimensions / CODE_BLOCK
    this.#pack(block, from, count, 1)
    const inverses = cosine ? layout.tileInverses : 0
    const slack = slackFor(dimensions)
    if (!this.#wasm.encodeRows(tile, count, blocks, slack, inverses, codes, facts)) {
      for (let row = 0; row < count; row += tileRows) {
        this.#scanTile(block, from + row, Math.min(tileRows, count - row))
      }
      return
    }
    const scored = this.#wasm.scanCodes(
      layout.queryCodes,
      layout.queryFacts,
      layout.queryRows,
      queries.rows,
      cosine ? layout.queryInverses : 0,
      codes,
      facts,
      tile,
      count,
      inverses,
      block.firstRow + from,
      blocks,
      layout.scores,
      layout.pairs,
      top,
      layout.room,
      layout.counts,
      layout.thresholds,
      layout.bestScores,
      layout.bestRows,
    )
    if (scored > MOST_SCORED * count * queries.rows) {
      this.#resume = this.#seen + this.#pause * layout.codeRows
      this.#pause *= 2
    }
  }

  /**
   * Packs documents of a block into the tile, in groups; for cosine, also their inverse lengths.
   */
  #pack(block: Block, from: number, count: number, group: number): void {
    const { queries, cosine } = this.#batch
    const { dimensions } = queries
    const { staged, tile, chunks, tileInverses } = this.#layout
    const part = block.data.subarray(from * dimensions, (from + count) * dimensions)
    if (part instanceof Float32Array && group === 1) {
      this.#floats.set(part, tile / 4)
    } else if (part instanceof Float32Array) {
      this.#floats.set(part, staged / 4)
      this.#wasm.packFloats(staged, count, dimensions, group, tile)
    } else {
      this.#halves.set(part, staged / 2)
      this.#wasm.packHalves(staged, count, dimensions, group, tile)
    }
    const padded = Math.ceil(count / group) * group
    if (cosine) this.#wasm.inverseLengths(tile, padded, chunks, group, tileInverses)
  }

  #scanTile(block: Block, from: number, count: number): void {
    const { queries, top, cosine, firstQuery } = this.#batch
    const { dimensions } = queries
    const layout = this.#layout
    const { tile, chunks } = layout
    this.#pack(block, from, count, QUAD)
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
      const line = layout.scores / 4 + (bad % PAIR) * Math.ceil(count / QUAD) * QUAD
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
        `searching ${queries.rows} queries for the top ${top} needs ${bytes} bytes in one worker; search fewer queries at a time, or lower top`,
      )
    }
    this.#floats = new Float32Array(this.#memory.buffer)
    this.#halves = new Uint16Array(this.#memory.buffer)
    this.#integers = new Uint32Array(this.#memory.buffer)
  }
}
