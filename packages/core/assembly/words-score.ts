/** docs/method.md section 4, the BM25 score: BM25 of a context's texts for the query's terms. */

import { double, word } from './address'

/** Bytes of a posting: two halves of the term's hash, and tf. */
const POSTING: usize = 12

/**
 * Finds the terms of the query, whose `terms` postings come first, in the other texts. For every
 * posting with one of them `matches` gets four words: the number of the query's term, from 1, tf, the
 * place of the posting in its text, and how many terms the postings before it have; text i's matches
 * start at matchStarts[i]. `candidates` gets how many texts have each of the query's terms; `lengths`
 * the number of terms of each text. `table` has `slots` entries, a power of 2 and larger than `terms`.
 */
export function matchTerms(
  postings: usize,
  texts: usize,
  count: i32,
  table: usize,
  slots: i32,
  matches: usize,
  matchStarts: usize,
  candidates: usize,
  lengths: usize,
): void {
  const terms = load<i32>(word(texts, 1))
  const mask = slots - 1
  memory.fill(table, 0, (<usize>slots) << 2)
  memory.fill(candidates, 0, (<usize>terms) << 2)
  for (let j = 0; j < terms; j++) {
    let place = <i32>load<u32>(postings + <usize>j * POSTING) & mask
    while (load<i32>(word(table, place)) != 0) place = (place + 1) & mask
    store<i32>(word(table, place), j + 1)
  }
  let i = terms
  let met = 0
  for (let row = 1; row < count; row++) {
    store<i32>(word(matchStarts, row), met)
    const start = i
    const end = load<i32>(word(texts, row + 1))
    let length: u32 = 0
    for (; i < end; i++) {
      const at = postings + <usize>i * POSTING
      const key = load<u64>(at)
      const tf = load<u32>(at, 8)
      let place = <i32>key & mask
      let number = load<i32>(word(table, place))
      while (number != 0 && load<u64>(postings + <usize>(number - 1) * POSTING) != key) {
        place = (place + 1) & mask
        number = load<i32>(word(table, place))
      }
      if (number) {
        const match = matches + ((<usize>met) << 4)
        met++
        store<i32>(match, number)
        store<u32>(match, tf, 4)
        store<i32>(match, i - start, 8)
        store<u32>(match, length, 12)
        const seen = word(candidates, number - 1)
        store<i32>(seen, load<i32>(seen) + 1)
      }
      length += tf
    }
    store<f64>(double(lengths, row), <f64>length)
  }
  store<i32>(word(matchStarts, count), met)
}

/**
 * The score of each text from its matches and the weights of the query's terms. A text's terms are
 * added in the query's order, so that texts with the same words tie. `found` is room for one word
 * per term of the query; scores go to `out`.
 */
export function scoreWords(
  terms: i32,
  count: i32,
  matches: usize,
  matchStarts: usize,
  lengths: usize,
  weights: usize,
  found: usize,
  k1: f64,
  b: f64,
  mean: f64,
  out: usize,
): void {
  memory.fill(found, 0, (<usize>terms) << 2)
  store<f64>(out, 0)
  for (let row = 1; row < count; row++) {
    const first = load<i32>(word(matchStarts, row))
    const end = load<i32>(word(matchStarts, row + 1))
    for (let i = first; i < end; i++) {
      const match = matches + ((<usize>i) << 4)
      store<u32>(word(found, load<i32>(match) - 1), load<u32>(match, 4))
    }
    let score: f64 = 0
    if (end > first) {
      const norm = k1 * (1 - b + (b * load<f64>(double(lengths, row))) / mean)
      for (let j = 0; j < terms; j++) {
        const tf = <f64>load<u32>(word(found, j))
        if (tf == 0) continue
        store<u32>(word(found, j), 0)
        score += (load<f64>(double(weights, j)) * tf) / (tf + norm)
      }
    }
    store<f64>(double(out, row), score)
  }
}
