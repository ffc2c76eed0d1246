/** docs/method.md section 4, window and title: which of the query's terms a text has, and how near to each other. */

import { double, word } from './address'

/**
 * The weights of the query's terms that each text has within `windowTerms` terms in a row, in its
 * title, and at all: three doubles a text, to `out`. Weights are whole numbers, so that their sums are
 * exact in any order.
 *
 * `matches` has the number of the query's term, from 1, or 0 for every posting, as `matchTerms` found
 * it. `orders` has each text's terms as places among its postings, text i from orderStarts[i] on;
 * `titles` how many of its postings are the title's. `seen` is room for one word per term of the query
 * and `queue` for two per term of the longest text.
 */
export function findMatches(
  texts: usize,
  count: i32,
  matches: usize,
  titles: usize,
  orders: usize,
  orderStarts: usize,
  weights: usize,
  windowTerms: i32,
  seen: usize,
  queue: usize,
  out: usize,
): void {
  memory.fill(seen, 0, (<usize>load<i32>(word(texts, 1))) << 2)
  for (let row = 1; row < count; row++) {
    const first = load<i32>(word(texts, row))
    const own = word(matches, first)
    const terms = load<i32>(word(texts, row + 1)) - first
    const ofTitle = load<i32>(word(titles, row))
    let all: f64 = 0
    let title: f64 = 0
    for (let i = 0; i < terms; i++) {
      const number = load<i32>(word(own, i))
      if (number == 0) continue
      all += load<f64>(double(weights, number - 1))
      if (i < ofTitle) title = all
    }
    const from = load<i32>(word(orderStarts, row))
    const order = word(orders, from)
    const length = load<i32>(word(orderStarts, row + 1)) - from
    const to = out + <usize>row * 24
    store<f64>(
      to,
      all > 0 ? bestWindow(own, terms, order, length, weights, windowTerms, seen, queue) : 0,
    )
    store<f64>(to, title, 8)
    store<f64>(to, all, 16)
  }
}

/** The largest weight of the query's terms within so many terms in a row. */
function bestWindow(
  matches: usize,
  terms: i32,
  order: usize,
  length: i32,
  weights: usize,
  windowTerms: i32,
  seen: usize,
  queue: usize,
): f64 {
  // The matches of the window that ends here: their places, and the numbers of the query's terms.
  let head = 0
  let tail = 0
  let sum: f64 = 0
  let best: f64 = 0
  for (let at = 0; at < length; at++) {
    const place = load<i32>(word(order, at))
    // A place that there is not would be the mistake of whoever made the prepared text.
    if (<u32>place >= <u32>terms) continue
    const number = load<i32>(word(matches, place))
    if (number == 0) continue
    while (head < tail && load<i32>(double(queue, head)) <= at - windowTerms) {
      const gone = load<i32>(double(queue, head++), 4)
      const left = load<i32>(word(seen, gone)) - 1
      store<i32>(word(seen, gone), left)
      if (left == 0) sum -= load<f64>(double(weights, gone))
    }
    const met = load<i32>(word(seen, number - 1))
    store<i32>(word(seen, number - 1), met + 1)
    if (met == 0) sum += load<f64>(double(weights, number - 1))
    store<i32>(double(queue, tail), at)
    store<i32>(double(queue, tail++), number - 1, 4)
    best = max(best, sum)
  }
  for (; head < tail; head++) store<i32>(word(seen, load<i32>(double(queue, head), 4)), 0)
  return best
}
