import { fold, madd } from './products'

/** Bytes of a pair: a query, a document, and room for their inner product. */
export const PAIR: usize = 12

/**
 * The inner products of some pairs of a query and a document, four at a time. Queries
 * and documents lie row after row. Each is the same chain of sums as in products.ts, so that
 * it has the same bits.
 */
export function pairProducts(
  pairs: usize,
  end: usize,
  queries: usize,
  tile: usize,
  chunks: i32,
): void {
  for (; pairs < end; pairs += 4 * PAIR) {
    // At the end, the last pair is repeated for missing pairs.
    const last = end - PAIR
    const second = min(pairs + PAIR, last)
    const third = min(pairs + 2 * PAIR, last)
    const fourth = min(pairs + 3 * PAIR, last)
    const products = four(
      rowOf(queries, load<i32>(pairs), chunks),
      rowOf(tile, load<i32>(pairs, 4), chunks),
      rowOf(queries, load<i32>(second), chunks),
      rowOf(tile, load<i32>(second, 4), chunks),
      rowOf(queries, load<i32>(third), chunks),
      rowOf(tile, load<i32>(third, 4), chunks),
      rowOf(queries, load<i32>(fourth), chunks),
      rowOf(tile, load<i32>(fourth, 4), chunks),
      (<usize>chunks) << 4,
    )
    store<f32>(pairs, f32x4.extract_lane(products, 0), 8)
    store<f32>(second, f32x4.extract_lane(products, 1), 8)
    store<f32>(third, f32x4.extract_lane(products, 2), 8)
    store<f32>(fourth, f32x4.extract_lane(products, 3), 8)
  }
}

function rowOf(rows: usize, row: i32, chunks: i32): usize {
  return rows + ((<usize>row * <usize>chunks) << 4)
}

function four(
  a0: usize,
  b0: usize,
  a1: usize,
  b1: usize,
  a2: usize,
  b2: usize,
  a3: usize,
  b3: usize,
  bytes: usize,
): v128 {
  let s0 = f32x4.splat(0)
  let s1 = s0
  let s2 = s0
  let s3 = s0
  for (let at: usize = 0; at < bytes; at += 16) {
    s0 = madd(v128.load(a0 + at), v128.load(b0 + at), s0)
    s1 = madd(v128.load(a1 + at), v128.load(b1 + at), s1)
    s2 = madd(v128.load(a2 + at), v128.load(b2 + at), s2)
    s3 = madd(v128.load(a3 + at), v128.load(b3 + at), s3)
  }
  return fold(s0, s1, s2, s3)
}
