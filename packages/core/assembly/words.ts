/**
 * The terms of a text in UTF-16, counted: what src/text/scan-text.ts and src/text/prepare-text.ts do,
 * with the same hashes, several times faster.
 *
 * A branch at the end of every word would be guessed wrong too often: there is none but for what is
 * rare.
 */

import { double, word } from './address'
import { countAll } from './count-terms'

/** Writes the entry of a character that is met for the first time into the table, unless it is beyond the first plane. */
declare function meet(code: i32): i32
/** Whether normalization changes two characters side by side. */
declare function composes(first: i32, second: i32): bool
/** Writes the hashes of the term of a word to `to`, and those of its second term, if words have one, 32 bytes further on. */
declare function stem(word: usize, length: i32, to: usize): void

/** As in src/text/term-counter.ts. */
const SEED_A: i32 = 0x811c9dc5
const SEED_B: i32 = 0x9747b28c
const FACTOR_A: i32 = 0x01000193
const FACTOR_B: i32 = 0x5bd1e995

/** As many bits say the place in the table of terms; STEM_PLACES in src/text/stem-cache.ts has as many places. */
const STEM_BITS: i32 = 15
/** A place has the hashes of four words, those of their terms and, if words have two, those of the second ones. */
const TERMS: usize = 32
const SECOND_TERMS: usize = 64
/** Bytes of a place where words have one term. */
const ONE_TERM: usize = 64

/** An entry has the character as it is compared, and above it these bits; as in src/kernel/word-entries.ts. */
const KIND: i32 = 16
/** A part of words: a kind of 2. One inside of words, a combining mark, has a kind of 1. */
const SIGN: i32 = 1 << 16
const DIGIT: i32 = 1 << 18
/** Part of a word between digits. */
const POINT: i32 = 1 << 19
/** A mark whose order among other marks normalization decides. */
const NONSTARTER: i32 = 1 << 20
/** It can become one character with the character before it. */
const COMPOSES: i32 = 1 << 21
/** Normalization makes other characters of it. */
const CHANGES: i32 = 1 << 22
/** First half of a character beyond the first plane. */
const BEYOND: i32 = 1 << 23
const SKIPPED: i32 = 1 << 24
/** The kind of a run whose groups of characters are terms: two bits. */
const GROUPS: i32 = 25
const GROUP: i32 = 3 << GROUPS
/** Normalization makes a letter and a nukta of it. */
const WITH_NUKTA: i32 = 1 << 27
const SOUND: i32 = 3 << GROUPS
/** Every character that the bits of a kind alone do not tell. */
const RARE: i32 = 1 << 31

const UNMET: i32 = RARE
/** A text that needs normalization, or has a character that the tables do not hold. */
const UNREADABLE: i32 = -1

/** A point inside of a number. */
const POINT_IN_WORD: i32 = (2 << KIND) | 0x2e

const NUKTA: i32 = 0x93c

/** Pairs of characters that are known to stay as they are, by their hash. */
const PAIRS: i32 = 10

/** Bytes of a token: two hashes, where its word ends (one more where it is a term already), and its place among the terms. */
const TOKEN: usize = 16

/** The hashes of the word that is read, and whether one is. */
let hashA: i32 = 0
let hashB: i32 = 0
let inside: i32 = 0
/** Where the next token goes. */
let tokens: usize = 0
let normalized: bool = false
/** Whether words are full of combining marks. */
let marks: bool = false

/**
 * Writes the postings of `length` units of UTF-16, the first `title` of which are the title's, to `out`
 * and returns how many there are, or −1 where the text must be normalized or has a character that the
 * tables do not hold. `terms` and `order` get what `countAll` writes.
 *
 * `folds` has an entry for each character of the first plane and, behind them, room for pairs of
 * characters; `stems` is the table of terms, with places of `size` bytes; 0 bytes say that words are
 * terms as they are. `tokensAt`, `terms`, `order` and `out` are room for
 * 16, 8, 4 and 12 bytes per term, and 64 bytes more.
 */
export function words(
  units: usize,
  length: i32,
  title: i32,
  isNormalized: bool,
  hasMarks: bool,
  folds: usize,
  stems: usize,
  size: usize,
  tokensAt: usize,
  terms: usize,
  order: usize,
  out: usize,
): i32 {
  const textStart = units + ((<usize>title) << 1)
  const end = units + ((<usize>length) << 1)
  tokens = tokensAt
  normalized = isNormalized
  marks = hasMarks
  // A separator behind the text closes its last word.
  store<u32>(end, 32)
  if (!hashText(units, textStart, folds)) return UNREADABLE
  const titleEnd = tokens
  if (!hashText(textStart, end + 2, folds)) return UNREADABLE
  if (size) askFor(tokensAt, stems, size)
  const first = toTerms(tokensAt, titleEnd, units, folds, 0, size, terms, out)
  const all = toTerms(titleEnd, tokens, textStart, folds, first, size, terms, out)
  // The tokens have served: their place takes the table of terms.
  return countAll(first, all, terms, order, tokensAt, out)
}

/** Hashes the words and groups of characters from `at` to before `end`, where a separator is last; false where the text cannot be read. */
function hashText(at: usize, end: usize, folds: usize): bool {
  hashA = SEED_A
  hashB = SEED_B
  inside = 0
  at = marks ? hashRun<u16>(at, end, folds) : hashRun<u8>(at, end, folds)
  while (at < end) {
    const entry = resolve(at, entryAt(at, folds), folds)
    if (entry == UNREADABLE) return false
    if (entry & GROUP) {
      step(at, 0)
      at = hashGroups(at, entry, folds)
      if (at == 0) return false
    } else {
      if (!(entry & SKIPPED)) step(at, inside || !(entry & SIGN) ? entry : 0)
      if (entry & WITH_NUKTA) step(at, NUKTA)
      at += 2
    }
    at = marks ? hashRun<u16>(at, end, folds) : hashRun<u8>(at, end, folds)
  }
  return true
}

/**
 * Hashes from here on until the next character that is rare, and returns where it is. Combining marks are
 * rare if T has one byte; that is decided when the kernel is compiled.
 */
function hashRun<T>(at: usize, end: usize, folds: usize): usize {
  const hasMarks = sizeof<T>() > 1
  let a = hashA
  let b = hashB
  let isInside = inside
  let to = tokens
  let last = hasMarks ? entryAt(at - 2, folds) : 0
  for (; at < end; at += 2) {
    const entry = entryAt(at, folds)
    if (entry < 0) break
    // Two marks, in an order that normalization may change.
    if (hasMarks && entry & last & NONSTARTER) break
    const isWord = hasMarks ? (((entry >> KIND) + isInside) >> 1) & 1 : i32(entry != 0)
    const letter = entry & 0xffff
    store<i32>(to, a)
    store<i32>(to, b, 4)
    store<u32>(to, <u32>at, 8)
    to += <usize>(isInside & ~isWord) * TOKEN
    isInside = isWord
    a = select((a ^ letter) * FACTOR_A, SEED_A, isWord)
    b = select((b ^ letter) * FACTOR_B, SEED_B, isWord)
    if (hasMarks) last = entry
  }
  hashA = a
  hashB = b
  inside = isInside
  tokens = to
  return at
}

/** Takes one character on, or ends a word where the entry is 0. */
function step(at: usize, entry: i32): void {
  const letter = entry & 0xffff
  if (entry) {
    hashA = (hashA ^ letter) * FACTOR_A
    hashB = (hashB ^ letter) * FACTOR_B
    inside = 1
  } else {
    if (inside) {
      store<i32>(tokens, hashA)
      store<i32>(tokens, hashB, 4)
      store<u32>(tokens, <u32>at, 8)
      tokens += TOKEN
    }
    hashA = SEED_A
    hashB = SEED_B
    inside = 0
  }
}

/** The entry of the character here, as it is in the table. */
function entryAt(at: usize, folds: usize): i32 {
  return load<i32>(word(folds, <i32>load<u16>(at)))
}

/** The entry of the character here as the text around it makes it; −1 where the text cannot be read. */
function resolve(at: usize, entry: i32, folds: usize): i32 {
  if (entry == UNMET) entry = meet(<i32>load<u16>(at))
  if ((entry >= 0 && !(entry & NONSTARTER)) || entry == UNREADABLE) return entry
  if (entry & POINT) return isBetweenDigits(at, folds) ? POINT_IN_WORD : 0
  if (entry & BEYOND) {
    const second = <i32>load<u16>(at, 2)
    if ((second & 0xfc00) != 0xdc00) return 0
    return meet(((<i32>load<u16>(at) - 0xd7c0) << 10) + (second & 0x3ff))
  }
  if (!normalized) {
    if (entry & CHANGES) return UNREADABLE
    if (entry & (COMPOSES | NONSTARTER) && changes(at - 2, entry, folds)) return UNREADABLE
  }
  return entry
}

/** Whether the point here, if it is inside of a word, has digits on both sides. */
function isBetweenDigits(at: usize, folds: usize): bool {
  let entry = entryAt(at + 2, folds)
  if (entry == UNMET) entry = meet(<i32>load<u16>(at, 2))
  if (!(entry & DIGIT)) return false
  entry = SKIPPED
  while (entry & SKIPPED) {
    at -= 2
    entry = entryAt(at, folds)
  }
  return (entry & DIGIT) != 0
}

/** Whether normalization changes the character here and the next one, whose entry is given. */
function changes(at: usize, next: i32, folds: usize): bool {
  const pair = load<u32>(at)
  const known = word(folds, 0x10000 + <i32>((pair * 0x9e3779b1) >> (32 - PAIRS)))
  if (load<u32>(known) == pair) return false
  // A pair does not tell what composes with the character before a mark.
  if (next & COMPOSES && entryAt(at, folds) & NONSTARTER) return true
  if (composes(<i32>(pair & 0xffff), <i32>(pair >> 16))) return true
  store<u32>(known, pair)
  return false
}

/** Adds a term that ends here. */
function put(a: i32, b: i32, at: usize): void {
  store<i32>(tokens, a)
  store<i32>(tokens, b, 4)
  store<u32>(tokens, <u32>at | 1, 8)
  tokens += TOKEN
}

/** Hashes the groups of characters of the run that starts here; returns where the run ends, 0 where it cannot be read. */
function hashGroups(at: usize, entry: i32, folds: usize): usize {
  // Hashes of a character alone, with the one before it, and with the two before it.
  let aloneA = 0
  let aloneB = 0
  let pairA = 0
  let pairB = 0
  let tripleA = 0
  let tripleB = 0
  let characters = 0
  const run = entry & GROUP
  while ((entry & GROUP) == run) {
    tripleA = pairA
    tripleB = pairB
    pairA = aloneA
    pairB = aloneB
    aloneA = SEED_A
    aloneB = SEED_B
    // A character, and the marks on it.
    do {
      if (!(entry & SKIPPED)) {
        const letter = entry & 0xffff
        aloneA = (aloneA ^ letter) * FACTOR_A
        aloneB = (aloneB ^ letter) * FACTOR_B
        pairA = (pairA ^ letter) * FACTOR_A
        pairB = (pairB ^ letter) * FACTOR_B
        tripleA = (tripleA ^ letter) * FACTOR_A
        tripleB = (tripleB ^ letter) * FACTOR_B
      }
      at += 2
      entry = resolve(at, entryAt(at, folds), folds)
      if (entry == UNREADABLE) return 0
    } while (entry & (SKIPPED | SIGN))
    characters++
    if (run != SOUND && characters > 1) put(pairA, pairB, at)
    else if (characters > 2) put(tripleA, tripleB, at)
  }
  if (characters == 1) put(aloneA, aloneB, at)
  else if (characters == 2 && run == SOUND) put(pairA, pairB, at)
  return at
}

/** Finds the place of each token in the table of terms, which is larger than the fast caches: asked for here, its lines come side by side. */
function askFor(token: usize, stems: usize, size: usize): void {
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
 * `count` others, and behind all of them those of their second terms; returns how many there are then.
 * `from` is where their text starts.
 */
function toTerms(
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
      store<u64>(double(terms, count++), key)
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
