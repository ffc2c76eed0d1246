/** docs/method.md section 4, window and title: which of the query's terms a text has, and how near to each other. */

import { double, word } from './address'

/** A position before all others, farther away than any window is long. */
const NEVER: i32 = -(1 << 30)

/**
 * The parts of the query's terms, by their weight, that each text has within `windowTerms` terms in a
 * row, in its title, and at all: `count` doubles each, to `out`. Weights are whole numbers, so that
 * their sums are exact in any order; `whole` is the sum of all.
 *
 * `matchTerms` writes `matches` and `matchStarts`. `titles` contains the number of postings of each
 * text's title, `lengths` the number of term positions of each text with matches. `positions` contains,
 * for each match in a text with several matches, the number of its positions and the positions. `last` is room for one word per term
 * of the query, `numbers` for one and `queue` for two per term of the longest text; `marks` for one byte
 * and 64 more, all 0.
 */
export function findMatches(
  count: i32,
  matches: usize,
  matchStarts: usize,
  titles: usize,
  lengths: usize,
  positions: usize,
  weights: usize,
  whole: f64,
  windowTerms: i32,
  last: usize,
  marks: usize,
  numbers: usize,
  queue: usize,
  out: usize,
): void {
  const titleOut = double(out, count)
  const allOut = double(titleOut, count)
  for (let row = 0; row < count; row++) {
    const ofTitle = load<i32>(word(titles, row))
    // The query's own row has no matches.
    const first = load<i32>(word(matchStarts, max(row, 1)))
    const end = load<i32>(word(matchStarts, row + 1))
    let all: f64 = 0
    let title: f64 = 0
    for (let i = first; i < end; i++) {
      const match = matches + ((<usize>i) << 4)
      all += load<f64>(double(weights, load<i32>(match) - 1))
      if (load<i32>(match, 8) < ofTitle) title = all
    }
    const length = load<i32>(word(lengths, row))
    // The only term of the query that a text has is all of its best window.
    let window = length > 0 ? all : 0
    if (end - first > 1) {
      positions = mark(matches, first, end, positions, length, last, marks, numbers)
      window = bestWindow(all, length, weights, windowTerms, last, marks, numbers, queue)
    }
    store<f64>(double(out, row), window / whole)
    store<f64>(double(titleOut, row), title / whole)
    store<f64>(double(allOut, row), all / whole)
  }
}

/** Writes the numbers of the query's terms to where a text has them; returns where the positions of the next text start. */
function mark(
  matches: usize,
  first: i32,
  end: i32,
  positions: usize,
  length: i32,
  last: usize,
  marks: usize,
  numbers: usize,
): usize {
  for (let i = first; i < end; i++) {
    const number = load<i32>(matches + ((<usize>i) << 4)) - 1
    store<i32>(word(last, number), NEVER)
    const next = word(positions, load<i32>(positions) + 1)
    for (positions += 4; positions < next; positions += 4) {
      const at = load<u32>(positions)
      // A position that there is not: the prepared text was made wrong.
      if (at >= <u32>length) continue
      store<u8>(marks + at, 0x80)
      store<i32>(word(numbers, at), number)
    }
  }
  return positions
}

/** The bits of 64 marks, which are 0 afterwards. */
function takeMarks(marks: usize): u64 {
  let bits: u64 = 0
  for (let part: usize = 0; part < 64; part += 16) {
    bits |= (<u64>i8x16.bitmask(v128.load(marks + part))) << part
    v128.store(marks + part, i64x2.splat(0))
  }
  return bits
}

/** The largest weight of the query's terms within a window of this many terms; `all` is the weight of all terms of the text. */
function bestWindow(
  all: f64,
  length: i32,
  weights: usize,
  windowTerms: i32,
  last: usize,
  marks: usize,
  numbers: usize,
  queue: usize,
): f64 {
  let head = queue
  let sum: f64 = 0
  let best: f64 = 0
  for (let from = 0; from < length; from += 64) {
    let bits = takeMarks(marks + from)
    // Nothing is better than all.
    if (best == all) continue
    for (; bits; bits &= bits - 1) {
      const at = from + <i32>ctz(bits)
      const number = load<i32>(word(numbers, at))
      store<i32>(queue, at)
      store<i32>(queue, number, 4)
      queue += 8
      // A term that is within the window already adds nothing.
      if (at - load<i32>(word(last, number)) >= windowTerms) {
        for (; load<i32>(head) <= at - windowTerms; head += 8) {
          const gone = load<i32>(head, 4)
          const isLast = load<i32>(word(last, gone)) == load<i32>(head)
          sum -= select<f64>(load<f64>(double(weights, gone)), 0, isLast)
        }
        sum += load<f64>(double(weights, number))
        best = max(best, sum)
      }
      store<i32>(word(last, number), at)
    }
  }
  return best
}
