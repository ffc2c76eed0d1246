/**
 * docs/method.md section 2: reciprocal neighbors as bit sets, one row of `words`
 * 64-bit words per row of the context.
 *
 * i is among the first n + 1 of rank[j] exactly when S[j, i] is not behind the
 * last of these neighbors: one comparison with that row's limit instead of a search.
 */

import { double, word } from './address'

/**
 * R(i, n) for all rows. `limits` is room for `count` floats. S[j, i] lies at
 * s + j · across + i · down: for a symmetric S the caller swaps the two steps,
 * so that a row reads its own line of S.
 */
export function reciprocal(
  s: usize,
  count: i32,
  across: i32,
  down: i32,
  ranks: usize,
  keep: i32,
  n: i32,
  limits: usize,
  sets: usize,
  words: i32,
): void {
  for (let j = 0; j < count; j++) {
    const last = load<i32>(word(ranks, j * keep + n))
    store<f32>(word(limits, j), load<f32>(s + <usize>(j * across + last * down)))
  }
  memory.fill(sets, 0, (<usize>(count * words)) << 3)
  for (let i = 0; i < count; i++) {
    const row = word(ranks, i * keep)
    const set = double(sets, i * words)
    for (let a = 0; a <= n; a++) {
      const j = load<i32>(word(row, a))
      const limit = load<f32>(word(limits, j))
      const value = load<f32>(s + <usize>(j * across + i * down))
      const last = load<i32>(word(ranks, j * keep + n))
      const mutual = u64(value > limit) | (u64(value == limit) & u64(i <= last))
      const at = double(set, j >> 6)
      store<u64>(at, load<u64>(at) | (mutual << (<u64>(j & 63))))
    }
  }
}

/**
 * R*: every c in R(i) brings R(c, t) along if more than `overlap` of it lies
 * in R(i). The comparison is strict and against R(i), never the growing set.
 */
export function extend(
  sets: usize,
  closer: usize,
  extended: usize,
  count: i32,
  words: i32,
  overlap: f64,
): void {
  const bytes = (<usize>words) << 3
  memory.copy(extended, sets, <usize>count * bytes)
  for (let i = 0; i < count; i++) {
    const own = sets + <usize>i * bytes
    const grown = extended + <usize>i * bytes
    for (let w = 0; w < words; w++) {
      let bits = load<u64>(double(own, w))
      while (bits) {
        const c = (w << 6) + <i32>ctz(bits)
        bits &= bits - 1
        const set = closer + <usize>c * bytes
        let size = 0
        let shared = 0
        for (let at: usize = 0; at < bytes; at += 8) {
          const theirs = load<u64>(set + at)
          size += <i32>popcnt(theirs)
          shared += <i32>popcnt(theirs & load<u64>(own + at))
        }
        // All bits or none: whether a set extends another is too irregular for
        // a branch, which pays only if it saves many words.
        const mask = -(<i64>(<f64>shared > overlap * <f64>size))
        if (words > 4 && mask == 0) continue
        for (let at: usize = 0; at < bytes; at += 8) {
          store<u64>(grown + at, load<u64>(grown + at) | (load<u64>(set + at) & mask))
        }
      }
    }
  }
}
