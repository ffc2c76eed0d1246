/**
 * docs/method.md section 4, the text view: S_text from the hashed terms of a
 * context's texts.
 *
 * Frequent terms become columns of a dense matrix and go through the Gram
 * kernel; rare terms add their few products one by one; terms of a single text,
 * most of the vocabulary, count for that text's length only.
 */

import { double, word } from './address'
import { gram } from './gram'
import { cosine } from './similarity'

/** JavaScript's own logarithm, so that every kernel gives the same weights. */
declare function log(value: f64): f64

/** Bytes of a posting: two halves of the term's hash, and tf, how often the text has the term. */
const POSTING: usize = 12

/** Entries of the table of 1 + ln tf; FREQUENCIES in src/kernel/layout.ts. */
const FREQUENCIES: u32 = 64

/** Columns of the dense matrix that go through the Gram kernel at a time. */
const COLUMNS: i32 = 256

/**
 * `postings` holds the texts' terms, row after row, row i from texts[i] to
 * texts[i + 1]; row 0 is the query's. `idf` has count entries, by document
 * frequency; `frequencies` has 1 + ln tf by tf. `table` has `slots` entries (a power of 2, larger than the number
 * of postings), `terms` and `lists` are room for 4 and 2 words per posting and
 * 8 words more, `x` for rows × COLUMNS floats. S_text goes to `s`.
 */
export function text(
  postings: usize,
  texts: usize,
  count: i32,
  rows: i32,
  idf: usize,
  frequencies: usize,
  table: usize,
  slots: i32,
  terms: usize,
  lists: usize,
  x: usize,
  s: usize,
): void {
  // Terms are numbered from 1; number 0 stands for none.
  const room = load<i32>(word(texts, count)) + 1
  const keys = terms
  const frequency = double(keys, room)
  const starts = word(frequency, room)
  const members = lists
  const weights = word(lists, room)

  memory.fill(table, 0, (<usize>slots) << 2)
  memory.fill(frequency, 0, (<usize>room) << 2)
  const candidates = posting(postings, texts, 1)
  const end = posting(postings, texts, count)
  let vocabulary = 0
  for (let at = candidates; at < end; at += POSTING) {
    const key = load<u64>(at)
    const slot = find(key, table, slots, keys)
    // A third of the terms are new, and no branch could guess which.
    const known = load<i32>(slot)
    vocabulary += i32(known == 0)
    const term = select(vocabulary, known, known == 0)
    store<i32>(slot, term)
    store<u64>(double(keys, term), key)
    increment(word(frequency, term))
    store<i32>(at, term)
  }
  // How many texts hold each term, the query's included; then where each list ends.
  memory.copy(starts, frequency, (<usize>(vocabulary + 1)) << 2)
  for (let at = postings; at < candidates; at += POSTING) {
    const term = load<i32>(find(load<u64>(at), table, slots, keys))
    store<i32>(at, term)
    increment(word(starts, term))
  }
  // The keys are no longer needed: their memory takes the numbers of the terms by kind.
  const limit = max(3, rows >> 2)
  const frequent = keys
  const rare = word(keys, room)
  let frequents = 0
  let rares = 0
  let singles = room
  let sum = 0
  for (let term = 1; term <= vocabulary; term++) {
    const uses = load<i32>(word(starts, term))
    sum += uses
    store<i32>(word(starts, term), sum)
    // From here on the frequency is needed as its weight only.
    const df = word(frequency, term)
    store<f32>(df, load<f32>(word(idf, min(load<i32>(df), count - 1))))
    store<i32>(word(frequent, frequents), term)
    frequents += i32(uses >= limit)
    store<i32>(word(rare, rares), term)
    rares += i32(uses > 1) & i32(uses < limit)
    store<i32>(word(frequent, singles - 1), term)
    singles -= i32(uses == 1)
  }
  store<i32>(word(starts, vocabulary + 1), sum)
  // Filled from the back, so that each list ascends and `starts` ends as its start.
  for (let row = count - 1; row >= 0; row--) {
    const first = posting(postings, texts, row)
    for (let at = posting(postings, texts, row + 1) - POSTING; at >= first; at -= POSTING) {
      const term = load<i32>(at)
      if (term == 0) continue
      const place = load<i32>(word(starts, term)) - 1
      store<i32>(word(starts, term), place)
      store<i32>(word(members, place), row)
      store<f32>(
        word(weights, place),
        frequencyWeight(load<u32>(at, 8), frequencies) * load<f32>(word(frequency, term)),
      )
    }
  }
  frequentTerms(frequent, frequents, rows, starts, members, weights, x, s)
  rareTerms(rare, rares, rows, starts, members, weights, s)
  for (let i = singles; i < room; i++) {
    const place = load<i32>(word(starts, load<i32>(word(frequent, i))))
    const weight = load<f32>(word(weights, place))
    const diagonal = word(s, load<i32>(word(members, place)) * (rows + 1))
    store<f32>(diagonal, load<f32>(diagonal) + weight * weight)
  }
  cosine(s, count, rows, x)
}

function frequencyWeight(tf: u32, frequencies: usize): f32 {
  if (tf < FREQUENCIES) return load<f32>(word(frequencies, tf))
  return <f32>(1 + log(<f64>tf))
}

function increment(at: usize): void {
  store<i32>(at, load<i32>(at) + 1)
}

function posting(postings: usize, texts: usize, row: i32): usize {
  return postings + <usize>load<u32>(word(texts, row)) * POSTING
}

/** The table's slot for a term: the one that holds it, or an empty one. */
function find(key: u64, table: usize, slots: i32, keys: usize): usize {
  const mask = slots - 1
  let place = <i32>key & mask
  let term = load<i32>(word(table, place))
  // One condition out of two, without a branch between them: it is nearly always false.
  while (i32(term != 0) & i32(load<u64>(double(keys, term)) != key)) {
    place = (place + 1) & mask
    term = load<i32>(word(table, place))
  }
  return word(table, place)
}

/** Terms of many texts: columns of a dense matrix, whose Gram matrix starts `s`. */
function frequentTerms(
  terms: usize,
  count: i32,
  rows: i32,
  starts: usize,
  members: usize,
  weights: usize,
  x: usize,
  s: usize,
): void {
  if (count == 0) memory.fill(s, 0, (<usize>(rows * rows)) << 2)
  for (let from = 0; from < count; from += COLUMNS) {
    const columns = min(COLUMNS, count - from)
    const stride = (columns + 3) & ~3
    memory.fill(x, 0, (<usize>(rows * stride)) << 2)
    for (let column = 0; column < columns; column++) {
      const term = load<i32>(word(terms, from + column))
      const to = load<i32>(word(starts, term + 1))
      for (let i = load<i32>(word(starts, term)); i < to; i++) {
        const row = load<i32>(word(members, i))
        store<f32>(word(x, row * stride + column), load<f32>(word(weights, i)))
      }
    }
    gram(x, rows, rows, stride, s, from > 0)
  }
}

/** Terms of a few texts, one product at a time, to the upper triangle: all that the cosine reads. */
function rareTerms(
  terms: usize,
  count: i32,
  rows: i32,
  starts: usize,
  members: usize,
  weights: usize,
  s: usize,
): void {
  for (let t = 0; t < count; t++) {
    const term = load<i32>(word(terms, t))
    const to = load<i32>(word(starts, term + 1))
    for (let i = load<i32>(word(starts, term)); i < to; i++) {
      const line = word(s, load<i32>(word(members, i)) * rows)
      const weight = load<f32>(word(weights, i))
      let j = i
      do {
        const at = word(line, load<i32>(word(members, j)))
        store<f32>(at, load<f32>(at) + weight * load<f32>(word(weights, j)))
      } while (++j < to)
    }
  }
}
