/**
 * The exports of the compiled kernel; pointers are byte offsets. assembly/ documents each export.
 */
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
  encodeRows(
    packed: number,
    rows: number,
    blocks: number,
    slack: number,
    inverses: number,
    codes: number,
    facts: number,
  ): number
  scanCodes(
    queryCodes: number,
    queryFacts: number,
    queries: number,
    queryCount: number,
    queryInverses: number,
    codes: number,
    facts: number,
    tile: number,
    documents: number,
    tileInverses: number,
    firstRow: number,
    blocks: number,
    sums: number,
    pairs: number,
    top: number,
    room: number,
    counts: number,
    thresholds: number,
    bestScores: number,
    bestRows: number,
  ): number
  scanBounds(
    pair: number,
    own: number,
    codes: number,
    facts: number,
    inverses: number,
    documents: number,
    firstRow: number,
    blocks: number,
    sums: number,
    top: number,
    scores: number,
    rows: number,
    state: number,
  ): void
  select(scores: number, rows: number, count: number, top: number): number
  sort(scores: number, rows: number, count: number, scratch: number, places: number): void
}

/** The layout of the kernel's memory; pointers are byte offsets. */
export interface Layout {
  /** Number of four-number chunks in a padded vector. */
  chunks: number
  /** Number of documents in a tile, a multiple of 4. */
  tileRows: number
  /** Number of documents in a tile of codes; 0 without codes. */
  codeRows: number
  /** Capacity for candidates per query. */
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
  queryCodes: number
  queryFacts: number
  queryRows: number
  codes: number
  facts: number
  pairs: number
  end: number
}

/** The compiler uses the memory below this address. */
const BASE = 1 << 16
/** At this size, an unpacked tile, its packed copy and the queries fit the second-level cache. */
const TILE_BYTES = 96 * 1024
/** The limit for short vectors: larger tiles are no faster. */
const MOST_TILE_ROWS = 256

/**
 * Number of documents in a tile of codes: enough work per query to hide the time of loading the
 * next query from the cache.
 */
const CODE_ROWS = 128
/** Pairs of a query and a document that scan-codes.ts collects, besides the pairs of two lines. */
const PAIRS = 256

/** Computes the layout for a batch of queries, with or without codes. */
export function layoutFor(
  queryCount: number,
  dimensions: number,
  top: number,
  coded: boolean,
): Layout {
  const chunks = Math.ceil(dimensions / 4)
  const fitting = Math.floor(TILE_BYTES / (chunks * 64)) * 4
  const tileRows = Math.min(Math.max(fitting, 4), MOST_TILE_ROWS)
  const codeRows = coded ? CODE_ROWS : 0
  const mostRows = Math.max(tileRows, codeRows)
  const room = 2 * top + mostRows
  let end = BASE
  const words = (count: number): number => {
    const start = end
    // One more cache line: a read of four numbers may begin at the last number.
    end += Math.ceil((count * 4 + 64) / 64) * 64
    return start
  }
  const bytes = (count: number): number => words(Math.ceil(count / 4))
  const tileWords = mostRows * chunks * 4
  const codedQueries = coded ? queryCount + 1 : 0
  return {
    chunks,
    tileRows,
    codeRows,
    room,
    staged: words(tileWords),
    tile: words(tileWords),
    tileInverses: words(mostRows),
    scores: words(2 * mostRows),
    queries: words((queryCount + 1) * chunks * 4),
    queryInverses: words(queryCount),
    counts: words(queryCount),
    thresholds: words(queryCount),
    bestScores: words(queryCount * room),
    bestRows: words(queryCount * room),
    sorting: words(2 * room),
    places: words(256),
    queryCodes: bytes(codedQueries * dimensions),
    queryFacts: words(codedQueries * 4),
    queryRows: words(codedQueries * dimensions),
    codes: bytes(codeRows * dimensions),
    facts: words(codeRows * 3),
    pairs: words((PAIRS + 2 * codeRows) * 3),
    end,
  }
}

/** Returns the bytes of kernel memory that one more query needs. */
export function bytesPerQuery(dimensions: number, top: number): number {
  return layoutFor(1, dimensions, top, true).end - layoutFor(0, dimensions, top, true).end
}
