/** docs/method.md sections 2 to 4 over a graph: its neighbors, their vectors, and how much these overlap. */

import { word } from './address'
import { overlaps } from './jaccard'
import { rank } from './rank'
import { extend, reciprocal } from './reciprocal'
import { expand, weigh } from './vectors'

/** Bytes in front of the ranks, where the addresses of all else are. */
const ADDRESSES: usize = 32
/** Where each address is, behind the sets' own; WasmNeighborhoods reads them too. */
const STARTS: usize = 4
const COLUMNS: usize = 8
const WEIGHTS: usize = 12
const DENSE: usize = 16

/**
 * Finds the `keep` nearest neighbors of each row, unless they are in `room` already, the reciprocal
 * sets, extended if `trusted` is not negative, and the neighbor vectors, each a mean of `nearest`.
 * `width` and `wide`, multiples of 4, are the most entries of a vector before the mean and after. `symmetric` says
 * whether S[i, j] is S[j, i]: a row then reads its own line of S.
 */
export function neighbors(
  s: usize,
  count: i32,
  rows: i32,
  symmetric: bool,
  keep: i32,
  known: bool,
  trusted: i32,
  overlap: f64,
  kind: i32,
  parameter: f64,
  nearest: i32,
  width: i32,
  wide: i32,
  room: usize,
): void {
  const words = (count + 63) >> 6
  const line = rows << 2
  const across = symmetric ? 4 : line
  const down = symmetric ? line : 4
  // Most lengths are multiples of 4, as the rows are, so that most begins where 16 bytes do.
  const ofSets = (rows * words) << 1
  const ranks = room + ADDRESSES
  const values = word(ranks, rows * keep + rows)
  const found = word(values, rows + 4)
  const seen = word(found, rows + 4)
  let sets = word(seen, rows + 4)
  const closer = word(sets, ofSets)
  const extended = word(closer, ofSets)
  const dense = word(extended, ofSets)
  const union = word(dense, rows << 1)
  let starts = word(union, (words + 1) << 1)
  let columns = word(starts, rows + 4)
  let weights = word(columns, rows * width + 4)
  if (!known) rank(s, count, rows, keep, ranks, values, found, seen)
  reciprocal(s, count, across, down, ranks, keep, keep - 1, values, sets, words)
  if (trusted >= 0) {
    reciprocal(s, count, across, down, ranks, keep, trusted, values, closer, words)
    extend(sets, closer, extended, count, words, overlap)
    sets = extended
  }
  weigh(s, count, rows, sets, words, kind, parameter, starts, columns, weights)
  memory.fill(dense, 0, (<usize>rows) << 3)
  if (nearest > 1) {
    const own = starts
    const ownColumns = columns
    const ownWeights = weights
    starts = word(weights, rows * width + 4)
    columns = word(starts, rows + 4)
    weights = word(columns, rows * wide + 4)
    expand(
      count,
      ranks,
      keep,
      nearest,
      sets,
      words,
      own,
      ownColumns,
      ownWeights,
      dense,
      union,
      starts,
      columns,
      weights,
    )
  }
  store<usize>(room, sets)
  store<usize>(room, starts, STARTS)
  store<usize>(room, columns, COLUMNS)
  store<usize>(room, weights, WEIGHTS)
  store<usize>(room, dense, DENSE)
}

/** The address of s_J(probe, ·), `count` floats. */
export function jaccard(room: usize, probe: i32, count: i32): usize {
  const dense = load<usize>(room, DENSE)
  const out = word(dense, count)
  overlaps(
    probe,
    count,
    load<usize>(room, STARTS),
    load<usize>(room, COLUMNS),
    load<usize>(room, WEIGHTS),
    dense,
    out,
  )
  return out
}
