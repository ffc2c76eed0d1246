/**
 * The terms of an ASCII text, counted: what src/text/prepare-text.ts does for any
 * text, with the same hashes, several times faster.
 *
 * A branch at the end of every word, and one for every word met before, would
 * be guessed wrong half of the time; so there is none.
 */

import { double, word } from './address'

/** Writes the two hashes of the term of a word to `to`; 0 and 0 for a stop word. */
declare function stem(word: usize, length: i32, to: usize): void

/** As in src/text/term-counter.ts. */
export const SEED_A: i32 = 0x811c9dc5
export const SEED_B: i32 = 0x9747b28c
export const FACTOR_A: i32 = 0x01000193
export const FACTOR_B: i32 = 0x5bd1e995
const UPPER_BITS: i32 = 21

/** Places of the table of terms, with four slots each; STEM_PLACES in src/text/stem-cache.ts. */
export const STEM_PLACES: i32 = 1 << 15

/** As in src/text/tokenizer.ts. */
const LONGEST_WORD: usize = 64

/**
 * Writes the postings of `length` bytes, the first `title` of which are the title's, to `out` and
 * returns how many there are. The positions of each term, term after term, go to `hashes`; how many
 * there are and how many postings are the title's go to `ends`. `lower` maps a byte to its lower
 * case if it is a letter or digit, else to 0. `stems` is a table of words met before and their
 * terms, two slots of 16 bytes for each place, or 0 if words are terms as they are. `hashes`,
 * `ends`, `table` and `out` are room for 8, 4, 8 and 6 bytes per byte of text, and 64 bytes more.
 */
export function words(
  bytes: usize,
  length: i32,
  title: i32,
  lower: usize,
  stems: usize,
  hashes: usize,
  ends: usize,
  table: usize,
  out: usize,
): i32 {
  // A separator behind the text closes its last word.
  store<u8>(bytes + <usize>length, 32)
  let tokens = hashWords(bytes, length + 1, lower, hashes, ends)
  let first = 0
  const titleEnd = <u32>bytes + <u32>title
  while (first < tokens && load<u32>(word(ends, first)) <= titleEnd) first++
  if (stems) {
    askFor(tokens, stems, hashes)
    const words = first
    first = toTerms(bytes, 0, words, 0, lower, stems, hashes, ends)
    tokens = toTerms(bytes, words, tokens, first, lower, stems, hashes, ends)
  }
  return countAll(first, tokens, hashes, ends, table, out)
}

/**
 * Writes the postings of `tokens` terms, the first `first` of which are the title's, whose hashes are
 * given, to `out` and returns how many there are. What goes to `hashes` and `ends` is as in `words`.
 */
export function countAll(
  first: i32,
  tokens: i32,
  hashes: usize,
  ends: usize,
  table: usize,
  out: usize,
): i32 {
  const slots = 1 << (32 - <i32>clz(tokens | 7) + 1)
  memory.fill(table, 0, (<usize>slots) << 2)
  const titleTerms = countTerms(0, first, 0, slots, hashes, ends, table, out)
  const size = countTerms(first, tokens, titleTerms, slots, hashes, ends, table, out)
  // The table has served: its place takes where the next position of each term goes.
  let from = 0
  for (let term = 1; term <= size; term++) {
    const entry = entryAt(out, term)
    store<i32>(word(table, term), from)
    from += load<i32>(entry, 8)
    finish(entry)
  }
  for (let i = 0; i < tokens; i++) {
    const next = word(table, load<i32>(word(ends, i)))
    const place = load<i32>(next)
    store<i32>(next, place + 1)
    store<i32>(word(hashes, place), i)
  }
  store<i32>(ends, tokens)
  store<i32>(ends, titleTerms, 4)
  return size
}

/** Counts the words from `from` to before `to`, `size` terms before them; the number of each one's term goes to `order`. Returns how many terms there are. */
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
    // A new entry's count is whatever was there before; that of a known one goes up.
    const count = select(0, load<i32>(entry, 8), known == 0)
    store<u64>(entry, key)
    store<i32>(entry, count + 1, 8)
    store<i32>(word(order, i), term)
  }
  return size
}

/** Both hashes of every word, and where it ends, one after the other; returns how many words there are. */
function hashWords(bytes: usize, length: i32, lower: usize, hashes: usize, ends: usize): i32 {
  let a = SEED_A
  let b = SEED_B
  let inside = 0
  let at = hashes
  for (const end = bytes + <usize>length; bytes < end; bytes++) {
    const letter = <i32>load<u8>(lower + <usize>load<u8>(bytes))
    const isWord = i32(letter != 0)
    store<i32>(at, a)
    store<i32>(at, b, 4)
    store<u32>(ends, <u32>bytes)
    at += <usize>((inside & ~isWord) << 3)
    ends += <usize>((inside & ~isWord) << 2)
    inside = isWord
    a = select((a ^ letter) * FACTOR_A, SEED_A, isWord)
    b = select((b ^ letter) * FACTOR_B, SEED_B, isWord)
  }
  return <i32>((at - hashes) >> 3)
}

/** The table of terms is larger than the fast caches: asked for here, its lines come side by side. */
function askFor(tokens: i32, stems: usize, hashes: usize): void {
  let asked: u64 = 0
  for (let i = 0; i < tokens; i++) asked |= load<u64>(placeOf(load<u64>(double(hashes, i)), stems))
  // Behind the last word, where it is never read: without a use the loop would be left out.
  store<u64>(double(hashes, tokens), asked)
}

/**
 * The hashes of the words from `from` to before `to` become those of their terms, without stop words,
 * behind `left` others; returns how many there are then.
 */
function toTerms(
  bytes: usize,
  from: i32,
  to: i32,
  left: i32,
  lower: usize,
  stems: usize,
  hashes: usize,
  ends: usize,
): i32 {
  for (let i = from; i < to; i++) {
    const key = load<u64>(double(hashes, i))
    let slot = placeOf(key, stems)
    // No branches for the other slots, which would be guessed wrong too often; one at most has the word.
    const other =
      i32(load<u64>(slot, 16) == key) +
      2 * i32(load<u64>(slot, 32) == key) +
      3 * i32(load<u64>(slot, 48) == key)
    slot += (<usize>other) << 4
    if (load<u64>(slot) != key) {
      // The other words move on by a slot, and the last one's is forgotten.
      v128.store(slot, v128.load(slot, 32), 48)
      v128.store(slot, v128.load(slot, 16), 32)
      v128.store(slot, v128.load(slot), 16)
      const end = <usize>load<u32>(word(ends, i))
      let start = end - 1
      while (start > bytes && load<u8>(lower + <usize>load<u8>(start - 1))) start--
      // A word that is too long to be one stays unchanged.
      if (end - start > LONGEST_WORD) store<u64>(slot, key, 8)
      else stem(start, <i32>(end - start), slot + 8)
      store<u64>(slot, key)
    }
    const term = load<u64>(slot, 8)
    store<u64>(double(hashes, left), term)
    left += i32(term != 0)
  }
  return left
}

/** The first slot of a word's place in the table of terms. */
function placeOf(key: u64, stems: usize): usize {
  const spread = (<u32>key ^ (<u32>(key >> 32) >> 7)) * 0x9e3779b1
  return stems + ((<usize>(spread ^ (spread >> 15)) & (STEM_PLACES - 1)) << 6)
}

/** Terms are numbered from 1. */
function entryAt(out: usize, term: i32): usize {
  return out + <usize>(term - 1) * 12
}

function find(key: u64, table: usize, slots: i32, out: usize): usize {
  const mask = slots - 1
  const spread = (<u32>key ^ (<u32>(key >> 32) >> 7)) * 0x9e3779b1
  let place = <i32>(spread ^ (spread >> 15)) & mask
  let term = load<i32>(word(table, place))
  // With no term yet, this looks at 12 bytes before `out`, which are the caller's.
  while (i32(term != 0) & i32(load<u64>(entryAt(out, term)) != key)) {
    place = (place + 1) & mask
    term = load<i32>(word(table, place))
  }
  return word(table, place)
}

/** An entry of two hashes and a count becomes a posting. */
function finish(entry: usize): void {
  const low = scramble(load<i32>(entry))
  const high = scramble(load<i32>(entry, 4) ^ low) >>> (32 - UPPER_BITS)
  store<i32>(entry, low)
  store<i32>(entry, high, 4)
}

function scramble(hash: i32): i32 {
  let h = <u32>hash
  h ^= h >> 16
  h *= 0x85ebca6b
  h ^= h >> 13
  h *= 0xc2b2ae35
  return <i32>(h ^ (h >> 16))
}
