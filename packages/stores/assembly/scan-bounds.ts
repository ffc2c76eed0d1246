import { word } from './address'
import { append, select } from './candidates'
import { codeProducts } from './code-products'
import { FACTS } from './codes'

/** Documents whose products are computed at a time; `sums` is room for two lines of them. */
const TILE = 128

/**
 * Finds the documents with the highest bounds of their scores, from codes alone (see codes.ts).
 *
 * `pair` has two codes of one query: of the query, and of what the first code leaves out. `own`
 * has for each the scale and the offset of src/exact/query-codes.ts, then the query's length and
 * what both codes leave out, all but the offsets times 1 / length for cosines. `inverses` has
 * 1 / length of the documents for cosines, else it is 0. `state` has the number of candidates in
 * `scores` and `rows`, and the bound of all documents that were left out. Room is 2 · top and a
 * tile.
 */
export function scanBounds(
  pair: usize,
  own: usize,
  codes: usize,
  facts: usize,
  inverses: usize,
  documents: i32,
  firstRow: i32,
  blocks: i32,
  sums: usize,
  top: i32,
  scores: usize,
  rows: usize,
  state: usize,
): void {
  let count = load<i32>(state)
  let threshold = load<f32>(state, 4)
  for (let from = 0; from < documents; from += TILE) {
    const some = min(TILE, documents - from)
    codeProducts(pair, codes, some, blocks, sums, TILE << 2)
    bounds(sums, own, facts, inverses, some)
    count = append(sums, some, firstRow + from, threshold, scores, rows, count)
    if (count >= 2 * top) {
      threshold = select(scores, rows, count, top)
      count = top
    }
    codes += (<usize>TILE * <usize>blocks) << 4
    facts += (TILE >> 2) * FACTS
    if (inverses != 0) inverses += TILE << 2
  }
  store<i32>(state, count)
  store<f32>(state, threshold, 4)
}

/**
 * Replaces the first line of sums by bounds. With document c, its code n and scale s, and query
 * q = t · z + u · y + r of two codes z and y,
 *
 *   q · c ≤ s · (t · (z · n) + u · (y · n)) + |r| · |s · n| + |q| · |c − s · n|.
 *
 * Scores do not exceed the bound either: the slack of scan-codes.ts covers the roundings here too,
 * which are three more, of terms below 2 · |q| · |c|.
 */
function bounds(sums: usize, own: usize, facts: usize, inverses: usize, documents: i32): void {
  const scale = v128.load32_splat(own)
  const offset = v128.load32_splat(own, 4)
  const finer = v128.load32_splat(own, 8)
  const finerOffset = v128.load32_splat(own, 12)
  const length = v128.load32_splat(own, 16)
  const error = v128.load32_splat(own, 20)
  for (let j = 0; j < documents; j += 4) {
    const at = word(sums, j)
    const coarse = f32x4.convert_i32x4_s(i32x4.sub(v128.load(at), offset))
    const fine = f32x4.convert_i32x4_s(i32x4.sub(v128.load(at, TILE << 2), finerOffset))
    let most = f32x4.add(f32x4.mul(coarse, scale), f32x4.mul(fine, finer))
    most = f32x4.mul(most, v128.load(facts))
    most = f32x4.add(most, f32x4.mul(length, v128.load(facts, 16)))
    most = f32x4.add(most, f32x4.mul(error, v128.load(facts, 32)))
    facts += FACTS
    if (inverses != 0) {
      // Documents that are too short for a code have an infinite bound, and may have no length.
      most = f32x4.min(most, f32x4.splat(f32.MAX_VALUE))
      most = f32x4.mul(most, v128.load(word(inverses, j)))
    }
    v128.store(at, most)
  }
}
