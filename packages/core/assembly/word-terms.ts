/** The terms of words; a table has the terms of words met before. */

import { double } from './address'
import { entryAt, KIND } from './characters'

/** Writes the posting's hashes of a word's term to `to`, and of its second term, if it has one, 32 bytes later. */
declare function stem(word: usize, length: i32, to: usize): void

/** As many bits say the place in the table of terms; STEM_PLACES in src/text/stem-cache.ts has as many places. */
const STEM_BITS: i32 = 15
/** A place has the hashes of four words, of their terms and, if words have two terms, of the second terms. */
const TERMS: usize = 32
const SECOND_TERMS: usize = 64
/** Bytes of a place if words have one term. */
const ONE_TERM: usize = 64

/** Bytes of a token: two hashes, where its word ends (one more if it is a term already), and its place among the terms. */
export const TOKEN: usize = 16

/** Finds the place of each token in the table of terms, which is larger than the fast caches: asked for here, its lines come side by side. */
export function askFor(token: usize, tokens: usize, stems: usize, size: usize): void {
  let asked: u64 = 0
  for (; token < tokens; token += TOKEN) {
    const spread = load<u32>(token) * 0x9e3779b1
    const place = stems + <usize>(spread >> (32 - STEM_BITS)) * size
    asked |= load<u64>(place) | load<u64>(place + size - ONE_TERM)
    store<u32>(token, <u32>place, 12)
  }
  // Behind the last token, where nobody reads it: without a use the loop would be left out.
  store<u64>(tokens, asked)
}

/**
 * Writes the hashes of the terms of the tokens from `token` to before `end`, without stop words, behind
 * `count` others, and after all of them the hashes of second terms; returns the number of hashes.
 * `from` is where their text starts.
 */
export function toTerms(
  token: usize,
  end: usize,
  from: usize,
  folds: usize,
  count: i32,
  size: usize,
  terms: usize,
  later: usize,
): i32 {
  let second = 0
  for (const first = token; token < end; token += TOKEN) {
    const key = load<u64>(token)
    // A term, or a word that is one as it is.
    if (i32(size == 0) | (load<i32>(token, 8) & 1)) {
      store<u64>(double(terms, count), key)
      finish(double(terms, count++))
      continue
    }
    const place = <usize>load<u32>(token, 12)
    // No branches for the other words, which would be guessed wrong too often; one at most is the word.
    const other =
      i32(load<u64>(place, 8) == key) +
      2 * i32(load<u64>(place, 16) == key) +
      3 * i32(load<u64>(place, 24) == key)
    let found = double(place, other)
    if (load<u64>(found) != key) {
      learn(token, token == first ? from : <usize>load<u32>(token - TOKEN, 8), place, size, folds)
      found = place
    }
    const term = load<u64>(found, TERMS)
    store<u64>(double(terms, count), term)
    count += i32(term != 0)
    if (size > ONE_TERM) {
      const other = load<u64>(found, SECOND_TERMS)
      store<u64>(double(later, second), other)
      second += i32(other != 0)
    }
  }
  memory.copy(double(terms, count), later, (<usize>second) << 3)
  return count + second
}

/** Asks for the terms of the first word behind a place, which is a token's. */
function learn(token: usize, from: usize, place: usize, size: usize, folds: usize): void {
  // The other words move on, and the last one is forgotten.
  for (let part = place; part < place + size; part += TERMS) memory.copy(part + 8, part, 24)
  from &= ~1
  while (((entryAt(from, folds) >> KIND) & 3) != 2) from += 2
  stem(from, (load<i32>(token, 8) - <i32>from) >> 1, place + TERMS)
  store<u64>(place, load<u64>(token))
}

/** Turns the two hashes of a term into the hashes of its posting; two zeros stay zeros. */
function finish(hashes: usize): void {
  let hash: u32 = 0
  for (let half: usize = 0; half < 2; half++) {
    hash ^= load<u32>(hashes + 4 * half)
    hash ^= hash >> 16
    hash *= 0x85ebca6b
    hash ^= hash >> 13
    hash *= 0xc2b2ae35
    hash ^= hash >> 16
    // The second half keeps 21 bits, as in src/text/term-counter.ts.
    store<u32>(hashes + 4 * half, hash >> (11 * half))
  }
}
