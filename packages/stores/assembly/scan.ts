import { word } from './address'
import { append, select } from './candidates'
import { products } from './products'

/**
 * Scores a tile of documents against every query and adds what is good enough
 * to the query's candidates.
 *
 * `queries` and `tile` are packed (see pack.ts). With cosine, `queryInverses` and
 * `tileInverses` hold 1 / length; else the first is 0. Query q has `counts[q]`
 * candidates, from entry q · room on of `bestScores` and `bestRows`, and none
 * below `thresholds[q]` is of use. `room` is 2 · top and a tile. `scores` is room
 * for two lines of a tile. Returns −1, or the first query with a score that is
 * not finite.
 */
export function scan(
  queries: usize,
  queryCount: i32,
  queryInverses: usize,
  tile: usize,
  documents: i32,
  tileInverses: usize,
  firstRow: i32,
  chunks: i32,
  scores: usize,
  top: i32,
  room: i32,
  counts: usize,
  thresholds: usize,
  bestScores: usize,
  bestRows: usize,
): i32 {
  const line = (<usize>((documents + 3) & ~3)) << 2
  const pairBytes = (<usize>chunks) << 5
  for (let q = 0; q < queryCount; q += 2) {
    products(queries, tile, documents, chunks, scores, line)
    queries += pairBytes
    const last = min(q + 2, queryCount)
    for (let i = q; i < last; i++) {
      const own = scores + (i > q ? line : 0)
      if (queryInverses != 0) scale(own, line, load<f32>(word(queryInverses, i)), tileInverses)
      if (!finite(own, line)) return i
      const keptScores = word(bestScores, i * room)
      const keptRows = word(bestRows, i * room)
      let threshold = load<f32>(word(thresholds, i))
      let count = load<i32>(word(counts, i))
      count = append(own, documents, firstRow, threshold, keptScores, keptRows, count)
      if (count >= 2 * top) {
        threshold = select(keptScores, keptRows, count, top)
        store<f32>(word(thresholds, i), threshold)
        count = top
      }
      store<i32>(word(counts, i), count)
    }
  }
  return -1
}

/** Inner products become cosines. */
function scale(line: usize, bytes: usize, own: f32, inverses: usize): void {
  const inverse = f32x4.splat(own)
  for (let at: usize = 0; at < bytes; at += 16) {
    const scaled = f32x4.mul(v128.load(line + at), v128.load(inverses + at))
    v128.store(line + at, f32x4.mul(scaled, inverse))
  }
}

/** Zero times a number is zero unless the number is infinite or NaN. */
function finite(line: usize, bytes: usize): bool {
  const zero = f32x4.splat(0)
  let sum = zero
  for (let at: usize = 0; at < bytes; at += 16) {
    sum = f32x4.add(sum, f32x4.mul(v128.load(line + at), zero))
  }
  return !v128.any_true(f32x4.ne(sum, zero))
}
