/** docs/method.md section 4, window and title: which of the query's terms a text has, and how near to each other. */

import { double, word } from './address'

/**
 * The parts of the query's terms, by their weight, that each text has within `windowTerms` terms in a
 * row, in its title, and at all: `count` doubles each, to `out`. Weights are whole numbers, so that
 * their sums are exact in any order; `whole` is the sum of all.
 *
 * `matchTerms` writes `matches` and `matchStarts`. `places` contains, for each text with matches, the
 * number of postings of its title, the number of its term positions and, if it has several matches,
 * these positions, ascending for each posting. `marks` is room for one byte per term of the longest
 * text and 65 more, `changes` for one double per term and one more, all 0.
 */
export function findMatches(
  count: i32,
  matches: usize,
  matchStarts: usize,
  places: usize,
  weights: usize,
  whole: f64,
  windowTerms: u32,
  marks: usize,
  changes: usize,
  out: usize,
): void {
  const titleOut = double(out, count)
  const allOut = double(titleOut, count)
  for (let row = 0; row < count; row++) {
    // The query's own row has no matches.
    const first = load<i32>(word(matchStarts, max(row, 1)))
    const end = load<i32>(word(matchStarts, row + 1))
    let all: f64 = 0
    let title: f64 = 0
    let window: f64 = 0
    if (end > first) {
      const ofTitle = load<i32>(places)
      const length = load<i32>(places, 4)
      places += 8
      const several = end - first > 1
      for (let i = first; i < end; i++) {
        const match = matches + ((<usize>i) << 4)
        const weight = load<f64>(double(weights, load<i32>(match) - 1))
        all += weight
        if (load<i32>(match, 8) < ofTitle) title = all
        if (several) mark(match, places, length, <i64>weight, windowTerms, marks, changes)
      }
      // The only term of the query that a text has is all of its best window.
      window = length > 0 ? all : 0
      if (several) {
        window = <f64>bestWindow(length, marks, changes)
        places = word(places, length)
      }
    }
    store<f64>(double(out, row), window / whole)
    store<f64>(double(titleOut, row), title / whole)
    store<f64>(double(allOut, row), all / whole)
  }
}

/**
 * Marks the last terms of the windows from which on a term of the query is in them or no longer: the
 * weight of a window changes there.
 */
function mark(
  match: usize,
  positions: usize,
  length: u32,
  weight: i64,
  windowTerms: u32,
  marks: usize,
  changes: usize,
): void {
  const first = load<u32>(match, 12)
  let i = first + load<u32>(match, 4)
  // More terms than positions: the prepared text was made wrong.
  if (i > length) return
  // Backwards, since a term that occurs again within a window counts once.
  let later = length
  while (i-- > first) {
    const at = load<u32>(word(positions, i))
    // A position that there is not.
    if (at >= length) continue
    change(at, weight, marks, changes)
    change(min(at + windowTerms, later), -weight, marks, changes)
    later = at
  }
}

function change(at: u32, weight: i64, marks: usize, changes: usize): void {
  store<u8>(marks + at, 0x80)
  const place = double(changes, at)
  store<i64>(place, load<i64>(place) + weight)
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

/** The largest weight of a window; marks and changes are 0 afterwards. */
function bestWindow(length: i32, marks: usize, changes: usize): i64 {
  let sum: i64 = 0
  let best: i64 = 0
  for (let from = 0; from <= length; from += 64) {
    for (let bits = takeMarks(marks + from); bits; bits &= bits - 1) {
      const place = double(changes, from + <i32>ctz(bits))
      sum += load<i64>(place)
      store<i64>(place, 0)
      best = max(best, sum)
    }
  }
  return best
}
