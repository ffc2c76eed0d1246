/**
 * The terms of a text in UTF-8 under a tokenizer that languages name, counted: what
 * src/text/scan-text.ts does for any text, with the same hashes, several times faster.
 */

import { double, word } from './address'
import { countAll, FACTOR_A, FACTOR_B, SEED_A, SEED_B, STEM_PLACES } from './words'

/** Writes the entry of a character that is met for the first time into the table. */
declare function meet(code: i32): i32
/** Whether two characters side by side are one after normalization. */
declare function composes(first: i32, second: i32): bool
/** Writes the hashes of the terms of a word to `to`: two of its term, and two of its second term if words have one. */
declare function stem(word: usize, length: i32, to: usize): void

/** Kinds of characters, as in src/text/fold.ts. */
const SKIPPED: i32 = 2
const SIGN: i32 = 3
const LETTER: i32 = 4
const DIGIT: i32 = 5
const HANGUL: i32 = 6
const SOUND: i32 = 8

/** Bits of an entry: what normalization needs to know, as in src/text/unnormalized.ts. */
const CHANGES: i32 = 1 << 20
const COMPOSES: i32 = 1 << 21
const NONSTARTER: i32 = 1 << 22

const POINT: i32 = 0x2e
const COMMA: i32 = 0x2c

/** A text that needs normalization, or has a character beyond the first plane. */
const UNREADABLE: i32 = -1
/** The code that replaces a character beyond the first plane. */
const BEYOND: i32 = 0x10000

/** Where the next token goes: its hashes, and where its word starts and ends; a start of 0 is that of a term. */
let hashes: usize = 0
let spans: usize = 0

/**
 * Writes the postings of `length` bytes, the first `title` of which are the title's, to `out` and
 * returns how many there are, or −1 if the text must be normalized or has a character beyond the
 * first plane. The positions of each term, term after term, go to `terms`; how many there are and
 * how many postings are the title's go to `order`.
 *
 * `lower` maps a byte of ASCII to its lower case if it is a letter or digit, else to 0, `folds` has an
 * entry for each character of the first plane, `stems` a slot of `slot` bytes for each
 * word: its hashes and those of its terms. `hashesAt`, `spansAt`, `terms`, `order`, `counts` and
 * `out` are room for 8, 8, 8, 4, 16 and 12 bytes per byte of text, and 64 bytes more.
 */
export function languageWords(
  bytes: usize,
  length: i32,
  title: i32,
  normalized: bool,
  lower: usize,
  folds: usize,
  stems: usize,
  slot: usize,
  hashesAt: usize,
  spansAt: usize,
  terms: usize,
  order: usize,
  counts: usize,
  out: usize,
): i32 {
  const textStart = bytes + <usize>title
  hashes = hashesAt
  spans = spansAt
  // A separator behind the text closes its last word.
  store<u8>(bytes + <usize>length, 32)
  if (!hashText(bytes, textStart, lower, folds, normalized)) return UNREADABLE
  const titleTokens = <i32>((hashes - hashesAt) >> 3)
  if (!hashText(textStart, bytes + <usize>length + 1, lower, folds, normalized)) return UNREADABLE
  const tokens = <i32>((hashes - hashesAt) >> 3)
  askFor(tokens, stems, slot, hashesAt)
  const first = toTerms(0, titleTokens, 0, stems, slot, hashesAt, spansAt, terms, out)
  const all = toTerms(titleTokens, tokens, first, stems, slot, hashesAt, spansAt, terms, out)
  return countAll(first, all, terms, order, counts, out)
}

/**
 * Hashes the words and groups of characters from `at` to before `end`, where a separator is last;
 * false if the text cannot be read. A branch at the end of every word would be guessed wrong too
 * often: there is none but for what is rare.
 */
function hashText(at: usize, end: usize, lower: usize, folds: usize, normalized: bool): bool {
  let a = SEED_A
  let b = SEED_B
  let inside = 0
  let start = at
  let to = hashes
  let span = spans
  while (at < end) {
    const byte = <i32>load<u8>(at)
    let letter = 0
    let isWord = 0
    let width: usize = 1
    let groups = 0
    if (byte < 0x80) {
      letter = <i32>load<u16>(lower + ((<usize>byte) << 1))
      isWord = i32(letter != 0)
      if (isPoint(byte) & inside && isBetweenDigits(at, folds, normalized)) {
        letter = POINT
        isWord = 1
      }
    } else {
      const code = codeAt(at)
      const entry = entryOf(code, at, folds, normalized)
      const kind = entry >> 16
      width = widthOf(code)
      letter = entry & 0xffff
      if (kind == LETTER) isWord = 1
      else if (kind < 0) return false
      else if (kind == SKIPPED) {
        at += width
        continue
      } else if (kind >= HANGUL) groups = kind
      else isWord = i32(kind == DIGIT) | (inside & i32(kind == SIGN))
    }
    start = select(start, at, inside)
    store<i32>(to, a)
    store<i32>(to, b, 4)
    store<u32>(span, <u32>start)
    store<u32>(span, <u32>at, 4)
    const closed = <usize>((inside & ~isWord) << 3)
    to += closed
    span += closed
    at += width
    if (groups) {
      hashes = to
      spans = span
      at = hashGroups(at - width, groups, folds, normalized)
      if (at == 0) return false
      to = hashes
      span = spans
    }
    inside = isWord
    a = select((a ^ letter) * FACTOR_A, SEED_A, isWord)
    b = select((b ^ letter) * FACTOR_B, SEED_B, isWord)
  }
  hashes = to
  spans = span
  return true
}

function isPoint(byte: i32): i32 {
  return i32((byte & ~2) == COMMA)
}

/** Whether the point here, inside of a word, has digits on both sides. */
function isBetweenDigits(at: usize, folds: usize, normalized: bool): bool {
  if (entryOf(codeAt(at + 1), at + 1, folds, normalized) >> 16 != DIGIT) return false
  let kind = SKIPPED
  while (kind == SKIPPED) {
    at = startBefore(at)
    kind = (load<i32>(word(folds, codeAt(at))) & (CHANGES - 1)) >> 16
  }
  return kind == DIGIT
}

/** The start of the character before this place. */
function startBefore(at: usize): usize {
  do at--
  while ((load<u8>(at) & 0xc0) == 0x80)
  return at
}

/** The code point that starts here; that of a character beyond the first plane is not read to its end. */
function codeAt(at: usize): i32 {
  const byte = <i32>load<u8>(at)
  if (byte < 0x80) return byte
  const second = <i32>load<u8>(at, 1) & 0x3f
  if (byte < 0xe0) return ((byte & 0x1f) << 6) | second
  if (byte < 0xf0) return ((byte & 0x0f) << 12) | (second << 6) | (<i32>load<u8>(at, 2) & 0x3f)
  return BEYOND
}

function widthOf(code: i32): usize {
  return 1 + <usize>i32(code >= 0x80) + <usize>i32(code >= 0x800)
}

/** The entry of the character that starts here; −1 if the text cannot be read. */
function entryOf(code: i32, at: usize, folds: usize, normalized: bool): i32 {
  // The entry of a character beyond the first plane, behind all others, is 0.
  const entry = load<i32>(word(folds, code))
  // One comparison finds an entry that is 0 or has a bit for normalization.
  if (<u32>(entry - 1) < <u32>(CHANGES - 1)) return entry
  return entryOfFew(code, entry, at, folds, normalized)
}

function entryOfFew(code: i32, entry: i32, at: usize, folds: usize, normalized: bool): i32 {
  if (code == BEYOND) return UNREADABLE
  if (entry == 0) entry = meet(code)
  if (!normalized) {
    if (entry & CHANGES) return UNREADABLE
    if (entry >= CHANGES) {
      // The character before was met; before a text stands the end of a table, all zeros.
      const last = codeAt(startBefore(at))
      if (last == BEYOND) return UNREADABLE
      if (entry & COMPOSES && composes(last, code)) return UNREADABLE
      if (entry & load<i32>(word(folds, last)) & NONSTARTER) return UNREADABLE
    }
  }
  return entry & (CHANGES - 1)
}

/** Adds a term. */
function put(a: i32, b: i32): void {
  store<i32>(hashes, a)
  store<i32>(hashes, b, 4)
  store<u32>(spans, 0)
  hashes += 8
  spans += 8
}

/**
 * Hashes the groups of characters of the run that starts here; returns where the run ends, 0 if it
 * cannot be read.
 */
function hashGroups(at: usize, run: i32, folds: usize, normalized: bool): usize {
  // Hashes of a character alone, with the one before it, and with the two before it.
  let aloneA = 0
  let aloneB = 0
  let pairA = 0
  let pairB = 0
  let tripleA = 0
  let tripleB = 0
  let characters = 0
  let code = codeAt(at)
  let entry = entryOf(code, at, folds, normalized)
  let kind = run
  while (kind == run) {
    tripleA = pairA
    tripleB = pairB
    pairA = aloneA
    pairB = aloneB
    aloneA = SEED_A
    aloneB = SEED_B
    // A character, and the marks on it.
    do {
      if (kind != SKIPPED) {
        const letter = entry & 0xffff
        aloneA = (aloneA ^ letter) * FACTOR_A
        aloneB = (aloneB ^ letter) * FACTOR_B
        pairA = (pairA ^ letter) * FACTOR_A
        pairB = (pairB ^ letter) * FACTOR_B
        tripleA = (tripleA ^ letter) * FACTOR_A
        tripleB = (tripleB ^ letter) * FACTOR_B
      }
      at += widthOf(code)
      code = codeAt(at)
      entry = entryOf(code, at, folds, normalized)
      kind = entry >> 16
      if (kind < 0) return 0
    } while (kind == SIGN || kind == SKIPPED)
    characters++
    if (run != SOUND && characters > 1) put(pairA, pairB)
    else if (characters > 2) put(tripleA, tripleB)
  }
  if (characters == 1) put(aloneA, aloneB)
  else if (characters == 2 && run == SOUND) put(pairA, pairB)
  return at
}

/** The table of terms is larger than the fast caches: asked for here, its lines come side by side. */
function askFor(tokens: i32, stems: usize, slot: usize, from: usize): void {
  let asked: u64 = 0
  for (let i = 0; i < tokens; i++) {
    asked |= load<u64>(placeOf(load<u64>(double(from, i)), stems, slot))
  }
  // Behind the last token, where it is never read: without a use the loop would be left out.
  store<u64>(double(from, tokens), asked)
}

/**
 * Writes the hashes of the terms of the tokens from `from` to before `to`, without stop words, behind
 * `size` others, and behind all of them those of their second terms; returns how many there are then.
 */
function toTerms(
  from: i32,
  to: i32,
  size: i32,
  stems: usize,
  slot: usize,
  tokens: usize,
  places: usize,
  terms: usize,
  later: usize,
): i32 {
  let second = 0
  for (let i = from; i < to; i++) {
    const key = load<u64>(double(tokens, i))
    const start = <usize>load<u32>(double(places, i))
    if (start == 0) {
      store<u64>(double(terms, size++), key)
      continue
    }
    const found = find(key, start, double(places, i), stems, slot)
    const term = load<u64>(found, 8)
    store<u64>(double(terms, size), term)
    size += i32(term != 0)
    if (slot > 16) {
      const other = load<u64>(found, 16)
      store<u64>(double(later, second), other)
      second += i32(other != 0)
    }
  }
  memory.copy(double(terms, size), later, (<usize>second) << 3)
  return size + second
}

/** The slot of a word, whose terms are asked for if it is new. */
function find(key: u64, start: usize, span: usize, stems: usize, slot: usize): usize {
  const place = placeOf(key, stems, slot)
  // No branches for the other slots, which would be guessed wrong too often; one at most has the word.
  const other =
    <usize>i32(load<u64>(place + slot) == key) +
    2 * <usize>i32(load<u64>(place + slot * 2) == key) +
    3 * <usize>i32(load<u64>(place + slot * 3) == key)
  const found = place + other * slot
  if (load<u64>(found) == key) return found
  // The other words move on by a slot, and the last one's is forgotten.
  memory.copy(place + slot, place, slot * 3)
  stem(start, <i32>(load<u32>(span, 4) - <u32>start), place + 8)
  store<u64>(place, key)
  return place
}

/** The first slot of a word's place in the table of terms. */
function placeOf(key: u64, stems: usize, slot: usize): usize {
  const spread = (<u32>key ^ (<u32>(key >> 32) >> 7)) * 0x9e3779b1
  return stems + (<usize>(spread ^ (spread >> 15)) & (STEM_PLACES - 1)) * slot * 4
}
