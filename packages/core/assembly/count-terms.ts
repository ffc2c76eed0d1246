/**
 * The hashed terms of a text, counted.
 *
 * A branch for every term met before would be guessed wrong half of the time; so there is none.
 */

import { double, word } from './address'

/**
 * Writes the postings of `tokens` terms, the first `first` of which are the title's, whose hashes are
 * given, to `out` and returns how many there are. The positions of each term, term after term, go to
 * `hashes`; how many there are and how many postings are the title's go to `order`. `hashes`,
 * `order`, `table` and `out` are room for 8, 4, 16 and 12 bytes per term, and 64 bytes more.
 */
export function countAll(
  first: i32,
  tokens: i32,
  hashes: usize,
  order: usize,
  table: usize,
  out: usize,
): i32 {
  const slots = 1 << (32 - <i32>clz(tokens | 7) + 1)
  memory.fill(table, 0, (<usize>slots) << 2)
  const titleTerms = countTerms(0, first, 0, slots, hashes, order, table, out)
  const size = countTerms(first, tokens, titleTerms, slots, hashes, order, table, out)
  // The table is no longer needed: its memory takes where the next position of each term goes.
  let from = 0
  for (let term = 1; term <= size; term++) {
    store<i32>(word(table, term), from)
    from += load<i32>(entryAt(out, term), 8)
  }
  for (let i = 0; i < tokens; i++) {
    const next = word(table, load<i32>(word(order, i)))
    const place = load<i32>(next)
    store<i32>(next, place + 1)
    store<i32>(word(hashes, place), i)
  }
  store<i32>(order, tokens)
  store<i32>(order, titleTerms, 4)
  return size
}

/** Counts the terms from `from` to before `to`, `size` terms before them; the number of each one's term goes to `order`. Returns how many terms there are. */
function countTerms(
  from: i32,
  to: i32,
  size: i32,
  slots: i32,
  hashes: usize,
  order: usize,
  table: usize,
  out: usize,
): i32 {
  for (let i = from; i < to; i++) {
    const key = load<u64>(double(hashes, i))
    const slot = find(key, table, slots, out)
    const known = load<i32>(slot)
    size += i32(known == 0)
    const term = select(size, known, known == 0)
    store<i32>(slot, term)
    const entry = entryAt(out, term)
    // A new entry has an arbitrary count, which is replaced; the count of a known entry increases.
    const count = select(0, load<i32>(entry, 8), known == 0)
    store<u64>(entry, key)
    store<i32>(entry, count + 1, 8)
    store<i32>(word(order, i), term)
  }
  return size
}

/** Terms are numbered from 1. */
function entryAt(out: usize, term: i32): usize {
  return out + <usize>(term - 1) * 12
}

function find(key: u64, table: usize, slots: i32, out: usize): usize {
  const mask = slots - 1
  let place = <i32>((<u32>key * 0x9e3779b1) >> 7) & mask
  let term = load<i32>(word(table, place))
  // With no term yet, this looks at 12 bytes before `out`, which are the caller's.
  while (i32(term != 0) & i32(load<u64>(entryAt(out, term)) != key)) {
    place = (place + 1) & mask
    term = load<i32>(word(table, place))
  }
  return word(table, place)
}
