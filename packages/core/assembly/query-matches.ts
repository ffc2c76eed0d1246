/** docs/method.md section 4, window and title: which of the query's terms a text has, and how near to each other. */

import { double, word } from './address'

/**
 * The weights of the query's terms that each text has within `windowTerms` terms in a row, in its
 * title, and at all: three doubles a text, to `out`. Weights are whole numbers, so that their sums are
 * exact in any order.
 *
 * `matches` and `matchStarts` are those of `matchTerms`. `positions` has where each text has its terms,
 * posting after posting, text i from positionStarts[i] on; `titles` how many of its postings are the
 * title's. `seen` is room for one word per term of the query, `marks` for one per term of the longest
 * text and 4 more, and `queue` for two per term of the longest text.
 */
export function findMatches(
  terms: i32,
  count: i32,
  matches: usize,
  matchStarts: usize,
  titles: usize,
  positions: usize,
  positionStarts: usize,
  weights: usize,
  windowTerms: i32,
  seen: usize,
  marks: usize,
  queue: usize,
  out: usize,
): void {
  memory.fill(seen, 0, (<usize>terms) << 2)
  for (let row = 1; row < count; row++) {
    const ofTitle = load<i32>(word(titles, row))
    const first = load<i32>(word(matchStarts, row))
    const end = load<i32>(word(matchStarts, row + 1))
    let all: f64 = 0
    let title: f64 = 0
    for (let i = first; i < end; i++) {
      const match = matches + ((<usize>i) << 4)
      all += load<f64>(double(weights, load<i32>(match) - 1))
      if (load<i32>(match, 8) < ofTitle) title = all
    }
    const from = load<i32>(word(positionStarts, row))
    const length = load<i32>(word(positionStarts, row + 1)) - from
    // The only term of the query that a text has is all of its best window.
    let window = length > 0 ? all : 0
    if (end - first > 1 && length > 0) {
      mark(matches, first, end, word(positions, from), length, marks)
      const met = gather(marks, length, queue)
      window = bestWindow(queue, met, weights, windowTerms, seen)
    }
    const to = out + <usize>row * 24
    store<f64>(to, window)
    store<f64>(to, title, 8)
    store<f64>(to, all, 16)
  }
}

/** Writes the numbers of the query's terms, from 1, to where a text has them. */
function mark(
  matches: usize,
  first: i32,
  end: i32,
  positions: usize,
  length: i32,
  marks: usize,
): void {
  const all = <u32>length
  memory.fill(marks, 0, (<usize>length + 4) << 2)
  for (let i = first; i < end; i++) {
    const match = matches + ((<usize>i) << 4)
    const number = load<i32>(match)
    const from = load<u32>(match, 12)
    const times = load<u32>(match, 4)
    // More terms than positions, or a position that there is not: the prepared text was made wrong.
    if (from > all || times > all - from) continue
    for (let p: u32 = from; p - from < times; p++) {
      const at = load<u32>(word(positions, p))
      if (at < all) store<i32>(word(marks, at), number)
    }
  }
}

/** The marked positions and their numbers, from 0, to `queue`; returns how many there are. */
function gather(marks: usize, length: i32, queue: usize): i32 {
  let met = 0
  for (let at = 0; at < length; at += 4) {
    // Most terms of a text are not the query's.
    let bits = i32x4.bitmask(i32x4.ne(v128.load(word(marks, at)), i32x4.splat(0)))
    while (bits) {
      const place = at + ctz(bits)
      bits &= bits - 1
      store<i32>(double(queue, met), place)
      store<i32>(double(queue, met++), load<i32>(word(marks, place)) - 1, 4)
    }
  }
  return met
}

/** The largest weight of the query's terms within a window of this many terms. */
function bestWindow(queue: usize, met: i32, weights: usize, windowTerms: i32, seen: usize): f64 {
  let head = 0
  let sum: f64 = 0
  let best: f64 = 0
  for (let tail = 0; tail < met; tail++) {
    const at = load<i32>(double(queue, tail))
    const number = load<i32>(double(queue, tail), 4)
    while (load<i32>(double(queue, head)) <= at - windowTerms) {
      const gone = load<i32>(double(queue, head++), 4)
      const left = load<i32>(word(seen, gone)) - 1
      store<i32>(word(seen, gone), left)
      sum -= select<f64>(load<f64>(double(weights, gone)), 0, left == 0)
    }
    const times = load<i32>(word(seen, number))
    store<i32>(word(seen, number), times + 1)
    sum += select<f64>(load<f64>(double(weights, number)), 0, times == 0)
    best = max(best, sum)
  }
  for (; head < met; head++) store<i32>(word(seen, load<i32>(double(queue, head), 4)), 0)
  return best
}
