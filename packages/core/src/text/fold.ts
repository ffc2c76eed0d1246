/**
 * The characters of a text that NFKC has normalized, as all tokenizers read them that are not of the
 * second generation (docs/method.md section 4).
 */

/** A character between words. */
export const BREAK = 1
/** Not read, inside of words too: vowel signs of Arabic and Hebrew, soft hyphens, joiners. */
export const SKIPPED = 2
/** A combining mark: part of the character before it. */
export const SIGN = 3
/** A letter of a script that puts spaces between words. */
export const LETTER = 4
/** A decimal digit, or another number. */
export const DIGIT = 5
/** A syllable of Hangul, which has spaces between words: terms are pairs. */
export const HANGUL = 6
/** A Chinese character, or a letter of a script without spaces that writes syllables: terms are pairs. */
export const SYLLABLE = 7
/** A letter of a script without spaces that writes sounds: terms are groups of three. */
export const SOUND = 8
/** Half of a character beyond the first plane. */
export const SURROGATE = 9

const LETTER_OR_NUMBER = /[\p{L}\p{N}]/u
const UNREAD =
  /[\u00ad\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u2060\ufeff]|\u200c|\u200d|\p{Variation_Selector}/u
const SYLLABLES = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Khmer}\p{scx=Myanmar}]/u
const SOUNDS = /[\p{scx=Thai}\p{scx=Lao}]/u

/** How letters are compared: without case, without case in Turkish, or as they are, with _ and $ among them. */
export type Folding = 'case' | 'turkish' | 'code'

/** The kinds of characters, and their folded forms. */
export class FoldTable {
  /** `kind × 65,536 + character` of each unit of UTF-16, filled as they are met; 0 is not met yet. */
  readonly entries = new Int32Array(0x10000)
  readonly #beyond = new Map<number, number>()
  readonly #folding: Folding

  constructor(folding: Folding) {
    this.#folding = folding
  }

  /** The entry of a unit that is met for the first time. */
  fill(unit: number): number {
    const kind = unit >= 0xd800 && unit < 0xe000 ? SURROGATE : kindOf(unit, this.#folding)
    this.entries[unit] = kind * 0x10000 + folded(unit, this.#folding)
    return this.entries[unit]!
  }

  /** The kind of a code point. */
  kind(code: number): number {
    if (code <= 0xffff) {
      const kind = (this.entries[code] || this.fill(code)) >> 16
      return kind === SURROGATE ? BREAK : kind
    }
    let kind = this.#beyond.get(code)
    if (kind === undefined) {
      kind = kindOf(code, this.#folding)
      this.#beyond.set(code, kind)
    }
    return kind
  }

  /** A code point in folded form. */
  fold(code: number): number {
    if (code > 0xffff) return folded(code, this.#folding)
    return (this.entries[code] || this.fill(code)) & 0xffff
  }

  /** A word in folded form. */
  foldWord(word: string): string {
    let result = ''
    for (const character of word) {
      const code = character.codePointAt(0)!
      const kind = this.kind(code)
      // Inside of a number, a comma is a point.
      if (kind === BREAK) result += '.'
      else if (kind !== SKIPPED) result += String.fromCodePoint(this.fold(code))
    }
    return result
  }
}

/** The kind of a code point. */
function kindOf(code: number, folding: Folding): number {
  const character = String.fromCodePoint(code)
  if (UNREAD.test(character)) return SKIPPED
  if (/\p{M}/u.test(character)) return SIGN
  if (folding === 'code' && (character === '_' || character === '$')) return LETTER
  if (!LETTER_OR_NUMBER.test(character)) return BREAK
  if (SYLLABLES.test(character)) return SYLLABLE
  if (SOUNDS.test(character)) return SOUND
  if (/\p{Script=Hangul}/u.test(character)) return HANGUL
  return /\p{N}/u.test(character) ? DIGIT : LETTER
}

function folded(code: number, folding: Folding): number {
  const character = String.fromCodePoint(code)
  if (/\p{Nd}/u.test(character)) return digitOf(code)
  if (folding === 'code') return code
  // Dotted and dotless i are two letters in Turkish, and forms of one elsewhere.
  if (code === 0x49 && folding === 'turkish') return 0x131
  if (code === 0x130) return 0x69
  // A sigma at the end of a word is the sigma inside of it.
  if (code === 0x3a3 || code === 0x3c2) return 0x3c3
  return character.toLowerCase().codePointAt(0)!
}

/** The ASCII digit of a decimal digit of any script: digits lie in tens, from zero on. */
function digitOf(code: number): number {
  let first = code
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--
  return 0x30 + ((code - first) % 10)
}
