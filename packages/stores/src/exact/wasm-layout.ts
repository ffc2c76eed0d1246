/** The exports of the compiled kernel; pointers are byte offsets. See assembly/ for each one. */
export interface WasmExports {
  packFloats(source: number, rows: number, dimensions: number, group: number, out: number): void
  packHalves(source: number, rows: number, dimensions: number, group: number, out: number): void
  inverseLengths(packed: number, rows: number, chunks: number, group: number, out: number): void
  scan(
    queries: number,
    queryCount: number,
    queryInverses: number,
    tile: number,
    documents: number,
    tileInverses: number,
    firstRow: number,
    chunks: number,
    scores: number,
    top: number,
    room: number,
    counts: number,
    thresholds: number,
    bestScores: number,
    bestRows: number,
  ): number
  sort(scores: number, rows: number, count: number, scratch: number, places: number): void
}

/** Where everything lies in the kernel's memory; pointers are byte offsets. */
export interface Layout {
  /** Fours of numbers in a padded vector. */
  chunks: number
  /** Documents of a tile, a multiple of 4. */
  tileRows: number
  /** Candidates that a query has room for. */
  room: number
  staged: number
  tile: number
  tileInverses: number
  scores: number
  queries: number
  queryInverses: number
  counts: number
  thresholds: number
  bestScores: number
  bestRows: number
  sorting: number
  places: number
  end: number
}

/** Memory below this address belongs to the compiler. */
const BASE = 1 << 16
/** A tile as it came, as it is packed, and the queries together fit the second-level cache. */
const TILE_BYTES = 96 * 1024
/** Short vectors: more documents than this bring nothing. */
const MOST_TILE_ROWS = 256

/** The layout for a batch of queries. */
export function layoutFor(queryCount: number, dimensions: number, top: number): Layout {
  const chunks = Math.ceil(dimensions / 4)
  const fitting = Math.floor(TILE_BYTES / (chunks * 64)) * 4
  const tileRows = Math.min(Math.max(fitting, 4), MOST_TILE_ROWS)
  const room = 2 * top + tileRows
  let end = BASE
  const words = (count: number): number => {
    const start = end
    // One cache line more: a read of four numbers may begin at the last one.
    end += Math.ceil((count * 4 + 64) / 64) * 64
    return start
  }
  const tileWords = tileRows * chunks * 4
  return {
    chunks,
    tileRows,
    room,
    staged: words(tileWords),
    tile: words(tileWords),
    tileInverses: words(tileRows),
    scores: words(2 * tileRows),
    queries: words((queryCount + 1) * chunks * 4),
    queryInverses: words(queryCount),
    counts: words(queryCount),
    thresholds: words(queryCount),
    bestScores: words(queryCount * room),
    bestRows: words(queryCount * room),
    sorting: words(2 * room),
    places: words(256),
    end,
  }
}

/** Bytes of kernel memory that one more query takes. */
export function bytesPerQuery(dimensions: number, top: number): number {
  return layoutFor(1, dimensions, top).end - layoutFor(0, dimensions, top).end
}
