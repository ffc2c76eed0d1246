/** The kernel's table of the characters of a text in UTF-16. */

import { word } from './address'

/** Writes the entry of a character that is met for the first time into the table, unless it is beyond the first plane. */
declare function meet(code: i32): i32
/** Whether normalization changes two characters side by side. */
declare function composes(first: i32, second: i32): bool

/** An entry has the character as it is compared, and above it these bits; as in src/kernel/word-entries.ts. */
export const KIND: i32 = 16
/** A part of words: a kind of 2. One inside of words, a combining mark, has a kind of 1. */
export const SIGN: i32 = 1 << 16
const DIGIT: i32 = 1 << 18
/** Part of a word between digits. */
const POINT: i32 = 1 << 19
/** A mark whose order among other marks normalization decides. */
export const NONSTARTER: i32 = 1 << 20
/** It can become one character with the character before it. */
const COMPOSES: i32 = 1 << 21
/** Normalization makes other characters of it. */
const CHANGES: i32 = 1 << 22
/** First half of a character beyond the first plane. */
const BEYOND: i32 = 1 << 23
export const SKIPPED: i32 = 1 << 24
/** The kind of a run whose groups of characters are terms: two bits. */
const GROUPS: i32 = 25
export const GROUP: i32 = 3 << GROUPS
/** A run of letters that are sounds. */
export const SOUND: i32 = 3 << GROUPS
/** Normalization makes a letter and a nukta of it. */
export const WITH_NUKTA: i32 = 1 << 27
/** Every character that the bits of a kind alone do not tell. */
const RARE: i32 = 1 << 31

const UNMET: i32 = RARE
/** A text that needs normalization, or has a character that the tables do not hold. */
export const UNREADABLE: i32 = -1

/** A point inside of a number. */
const POINT_IN_WORD: i32 = (2 << KIND) | 0x2e

export const NUKTA: i32 = 0x93c

/** Pairs of characters that are known to stay as they are, by their hash. */
const PAIRS: i32 = 10

let normalized: bool = false

/** Says whether the next text is normalized. */
export function expectNormalized(isNormalized: bool): void {
  normalized = isNormalized
}

/** The entry of the character here, as it is in the table. */
export function entryAt(at: usize, folds: usize): i32 {
  return load<i32>(word(folds, <i32>load<u16>(at)))
}

/** The entry of the character here as the text around it makes it; −1 if the text cannot be read. */
export function resolve(at: usize, entry: i32, folds: usize): i32 {
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
