/**
 * The terms of a text in UTF-16, counted: what src/text/scan-text.ts and src/text/prepare-text.ts do,
 * with the same hashes, several times faster.
 *
 * A branch at the end of every word would be guessed wrong too often: branches are only for what is
 * rare.
 */

import {
  entryAt,
  expectNormalized,
  GROUP,
  KIND,
  NONSTARTER,
  NUKTA,
  resolve,
  SIGN,
  SKIPPED,
  SOUND,
  UNREADABLE,
  WITH_NUKTA,
} from './characters'
import { countAll } from './count-terms'
import { askFor, TOKEN, toTerms } from './word-terms'

/** As in src/text/term-counter.ts. */
const SEED_A: i32 = 0x811c9dc5
const SEED_B: i32 = 0x9747b28c
const FACTOR_A: i32 = 0x01000193
const FACTOR_B: i32 = 0x5bd1e995

/** The hashes of the word that is read, and whether one is. */
let hashA: i32 = 0
let hashB: i32 = 0
let inside: i32 = 0
/** Where the next token goes. */
let tokens: usize = 0
/** Whether words are full of combining marks. */
let marks: bool = false

/**
 * Writes the postings of `length` units of UTF-16, the first `title` of which are the title's, to `out`
 * and returns how many there are, or −1 if the text must be normalized or has a character that the
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
  expectNormalized(isNormalized)
  marks = hasMarks
  // A separator behind the text closes its last word.
  store<u32>(end, 32)
  if (!hashText(units, textStart, folds)) return UNREADABLE
  const titleEnd = tokens
  if (!hashText(textStart, end + 2, folds)) return UNREADABLE
  if (size) askFor(tokensAt, tokens, stems, size)
  const first = toTerms(tokensAt, titleEnd, units, folds, 0, size, terms, out)
  const all = toTerms(titleEnd, tokens, textStart, folds, first, size, terms, out)
  // The tokens are no longer needed: their memory takes the table of terms.
  return countAll(first, all, terms, order, tokensAt, out)
}

/** Hashes the words and groups of characters from `at` to before `end`, where a separator is last; false if the text cannot be read. */
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

/** Takes one character on, or ends a word if the entry is 0. */
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

/** Adds a term that ends here. */
function put(a: i32, b: i32, at: usize): void {
  store<i32>(tokens, a)
  store<i32>(tokens, b, 4)
  store<u32>(tokens, <u32>at | 1, 8)
  tokens += TOKEN
}

/** Hashes the groups of characters of the run that starts here; returns where the run ends, 0 if it cannot be read. */
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
