/** The kinds of characters in the text view (docs/method.md section 4). */
export const OTHER = 1
/** A letter or digit of a script that puts spaces between words. */
export const WORD = 2
/** A letter or digit of a script that does not: its terms are pairs of characters. */
export const UNSPACED = 3
/** A combining mark: part of the character before it. */
export const MARK = 4

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u
const COMBINING = /\p{M}/u
const WITHOUT_SPACES =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u

/** Classes of the basic plane, filled as characters are met; 0 is not met yet. */
const classes = new Uint8Array(0x10000)
const lowers = new Uint32Array(0x10000)

/** The class of a code point. */
export function characterClass(code: number): number {
  if (code > 0xffff) return classify(code)
  classes[code] ||= classify(code)
  return classes[code]!
}

/**
 * The lower case of a code point, 0 if it depends on the word around it (Σ) or is more than one
 * code point (İ).
 */
export function lowerCase(code: number): number {
  if (code > 0xffff) return toLower(code)
  if (code === 0x3a3 || code === 0x130) return 0
  lowers[code] ||= toLower(code)
  return lowers[code]!
}

/** For ASCII: the lower-cased code of a letter or digit, 0 for anything else. */
export const asciiWord = Uint8Array.from({ length: 128 }, (_, code) =>
  LETTER_OR_DIGIT.test(String.fromCharCode(code)) ? toLower(code) : 0,
)

function classify(code: number): number {
  const character = String.fromCodePoint(code)
  if (COMBINING.test(character)) return MARK
  if (!LETTER_OR_DIGIT.test(character)) return OTHER
  return WITHOUT_SPACES.test(character) ? UNSPACED : WORD
}

function toLower(code: number): number {
  return String.fromCodePoint(code).toLowerCase().codePointAt(0)!
}
