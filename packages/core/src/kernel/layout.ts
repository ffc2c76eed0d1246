import { trustedCount } from '../method/neighbor-steps.ts'
import { POSTING } from '../text/postings.ts'
import type { Shape } from './engine.ts'

/** Columns of the dense matrix of frequent terms; COLUMNS in assembly/text.ts. */
const TEXT_COLUMNS = 256

/** Entries of the table of 1 + ln tf; FREQUENCIES in assembly/text.ts. */
export const FREQUENCIES = 64

/** Memory below this address belongs to the compiler. */
const BASE = 1 << 16

/** Where everything lies in the kernel's memory for one context; pointers are byte offsets. */
export interface Layout {
  /** Rows of S, a multiple of 4. */
  rows: number
  /** 64-bit words of a bit set. */
  words: number
  /** t of section 2. */
  trusted: number
  /** Rows that an expanded vector is the mean of. */
  nearest: number
  x: number
  s: number
  graph: number
  /** Of the vectors, for cosines; of the texts, for the words score. */
  lengths: number
  /** One double a row. */
  scores: number
  ranks: number
  values: number
  found: number
  seen: number
  sets: number
  closer: number
  extended: number
  starts: number
  columns: number
  weights: number
  expandedStarts: number
  expandedColumns: number
  expandedWeights: number
  sums: number
  union: number
  dense: number
  out: number
  postings: number
  texts: number
  idf: number
  frequencies: number
  table: number
  /** Slots of the table, a power of 2. */
  slots: number
  terms: number
  lists: number
  end: number
}

/** Lays out the memory for a context, as large as the context can need and not larger. */
export function layOut(shape: Shape): Layout {
  const count = shape.rows
  const rows = roundUp(count, 4)
  const words = Math.ceil(count / 64)
  const keep = shape.k + 1
  const trusted = trustedCount(shape.trust, shape.k)
  const extends_ = shape.trust > 0
  const nearest = Math.min(shape.kExp, keep)
  const expands = shape.kExp > 1
  // Entries of a neighbor vector at the most; its room is a multiple of 4.
  const neighbors = extends_ ? Math.min(count, keep + keep * (trusted + 1)) : keep
  const expanded = Math.min(count, nearest * neighbors)
  const entries = count * roundUp(neighbors, 4) + 4
  const expandedEntries = expands ? count * roundUp(expanded, 4) + 4 : 0
  const slots = 2 ** Math.ceil(Math.log2(shape.postings * 1.1 + 2))

  let end = BASE
  const take = (bytes: number): number => {
    const start = end
    end = roundUp(end + bytes, 16)
    return start
  }
  const floats = (n: number): number => take(n * 4)
  const width = Math.max(4, roundUp(shape.dimensions, 4), shape.postings > 0 ? TEXT_COLUMNS : 0)
  const square = rows * rows
  return {
    rows,
    words,
    trusted,
    nearest,
    x: floats(rows * width),
    s: floats(square),
    graph: floats(shape.blended ? square : 0),
    lengths: take(rows * 8),
    scores: take(rows * 8),
    ranks: floats(count * keep + rows),
    values: floats(rows + 4),
    found: floats(rows + 4),
    seen: floats(rows + 4),
    sets: take(count * words * 8),
    closer: take(extends_ ? count * words * 8 : 0),
    extended: take(extends_ ? count * words * 8 : 0),
    starts: floats(count + 1),
    columns: floats(entries),
    weights: floats(entries),
    expandedStarts: floats(count + 1),
    expandedColumns: floats(expandedEntries),
    expandedWeights: floats(expandedEntries),
    sums: take(count * 8),
    union: take(words * 8),
    dense: floats(count),
    out: floats(count),
    postings: floats(shape.postings * POSTING),
    texts: floats(count + 1),
    idf: floats(count),
    frequencies: floats(FREQUENCIES),
    table: floats(slots),
    slots,
    terms: floats(shape.postings * 4 + 8),
    lists: floats(shape.postings * 2 + 8),
    end,
  }
}

function roundUp(value: number, to: number): number {
  return Math.ceil(value / to) * to
}
