import { word } from './address'
import { select } from './candidates'
import { codeProducts } from './code-products'
import { FACTS } from './codes'
import { PAIR, pairProducts } from './pair-products'

/** When this many pairs are found, they are scored. A layout has room for these and two lines more. */
const MANY: usize = 256

/**
 * Does what scan (see scan.ts) does to a tile, but scores a document in float32 only if its
 * code says that it may be above the threshold of the query. Scores have the same bits.
 *
 * `codes` and `facts` come from codes.ts, `queryCodes` and `queryFacts` from
 * src/exact/query-codes.ts; `queries` and `tile` lie row after row. `sums` is room for two
 * lines of a tile. Returns how many scores were computed.
 */
export function scanCodes(
  queryCodes: usize,
  queryFacts: usize,
  queries: usize,
  queryCount: i32,
  queryInverses: usize,
  codes: usize,
  facts: usize,
  tile: usize,
  documents: i32,
  tileInverses: usize,
  firstRow: i32,
  blocks: i32,
  sums: usize,
  pairs: usize,
  top: i32,
  room: i32,
  counts: usize,
  thresholds: usize,
  bestScores: usize,
  bestRows: usize,
): i32 {
  const line = (<usize>((documents + 3) & ~3)) << 2
  const pairBytes = (<usize>blocks) << 5
  // Sooner than scan does: a higher threshold saves scores, and a choice costs little beside them.
  const many = min(top + (top >> 2) + 16, 2 * top)
  let end = pairs
  let scored = 0
  for (let q = 0; q < queryCount; q += 2) {
    codeProducts(queryCodes, codes, documents, blocks, sums, line)
    queryCodes += pairBytes
    end = collect(sums, documents, facts, queryFacts, load<f32>(word(thresholds, q)), q, end)
    queryFacts += 16
    if (q + 1 < queryCount) {
      const threshold = load<f32>(word(thresholds, q + 1))
      end = collect(sums + line, documents, facts, queryFacts, threshold, q + 1, end)
    }
    queryFacts += 16
    if (end >= pairs + MANY * PAIR || q + 2 >= queryCount) {
      scored += <i32>((end - pairs) / PAIR)
      pairProducts(pairs, end, queries, tile, blocks << 2)
      let at = pairs
      while (at < end) {
        const query = load<i32>(at)
        const keptScores = word(bestScores, query * room)
        const keptRows = word(bestRows, query * room)
        const threshold = load<f32>(word(thresholds, query))
        let count = load<i32>(word(counts, query))
        for (; at < end && load<i32>(at) == query; at += PAIR) {
          const document = load<i32>(at, 4)
          let score = load<f32>(at, 8)
          if (queryInverses != 0) {
            score = score * load<f32>(word(tileInverses, document))
            score = score * load<f32>(word(queryInverses, query))
          }
          if (score <= threshold) continue
          store<f32>(word(keptScores, count), score)
          store<i32>(word(keptRows, count), firstRow + document)
          count++
        }
        if (count >= many) {
          store<f32>(word(thresholds, query), select(keptScores, keptRows, count, top))
          count = top
        }
        store<i32>(word(counts, query), count)
      }
      end = pairs
    }
  }
  return scored
}

/**
 * Appends the documents whose score may be above the threshold to the pairs, and returns their
 * end. None that is above is missed: with document c, its code n and scale s, query q, its code
 * z and scale t,
 *
 *   q · c = t · s · (z · n) + (q − t · z) · (s · n) + q · (c − s · n)
 *         ≤ t · s · (z · n) + |q − t · z| · |s · n| + |q| · |c − s · n|.
 *
 * z · n is exact. The score in float32 is off by less than (d / 4 + 5) · 2⁻²³ · |q| · |c|: d / 4
 * products and sums in each lane, two sums of lanes, for cosines two factors. The bound is
 * computed with ten roundings of terms below 3 · |q| · |c|. The slack in each document's error,
 * (d + 64) · 2⁻²³ · |c|, is more than both. Lengths between 1e-15 and 1e15 keep everything away
 * from the ends of float32.
 */
function collect(
  sums: usize,
  documents: i32,
  facts: usize,
  own: usize,
  threshold: f32,
  query: i32,
  end: usize,
): usize {
  const scale = v128.load32_splat(own)
  const length = v128.load32_splat(own, 4)
  const error = v128.load32_splat(own, 8)
  const offset = v128.load32_splat(own, 12)
  const level = f32x4.splat(threshold)
  for (let j = 0; j < documents; j += 4) {
    const product = f32x4.convert_i32x4_s(i32x4.sub(v128.load(word(sums, j)), offset))
    let most = f32x4.mul(f32x4.mul(product, scale), v128.load(facts))
    most = f32x4.add(most, f32x4.mul(length, v128.load(facts, 16)))
    most = f32x4.add(most, f32x4.mul(error, v128.load(facts, 32)))
    facts += FACTS
    let mask = i32x4.bitmask(f32x4.gt(most, level))
    if (mask == 0) continue
    if (documents - j < 4) mask &= (1 << (documents - j)) - 1
    while (mask != 0) {
      store<i32>(end, query)
      store<i32>(end, j + ctz(mask), 4)
      end += PAIR
      mask &= mask - 1
    }
  }
  return end
}
