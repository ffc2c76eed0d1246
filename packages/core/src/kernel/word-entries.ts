import { characterClass, lowerCase, MARK, UNSPACED, WORD } from '../text/characters.ts'
import { BREAK, DIGIT, type FoldTable, HANGUL, LETTER, SIGN } from '../text/fold.ts'
import { CHANGES, NONSTARTER, normalizationBits } from '../text/unnormalized.ts'

/**
 * The kernel's entry of a character: the character as it is compared, and above it these bits; as in
 * assembly/characters.ts. 0 stands between words.
 */
const IN_WORD_INSIDE = 1 << 16
const IN_WORD = 2 << 16
const IS_DIGIT = 1 << 18
const IS_POINT = 1 << 19
const BEYOND = 1 << 23
const IS_SKIPPED = 1 << 24
const GROUPS = 25
const WITH_NUKTA = 1 << 27
const RARE = 1 << 31

/** The entry of a character that is not met yet. */
export const UNMET = RARE
/** The entry of a character that the kernel leaves to others. */
const UNREADABLE = -1

/** A sign of Devanagari that normalization parts from its letters. */
const NUKTA = '\u093c'

/** The entry of a code point under a tokenizer for English or for no language. */
export function basicEntry(code: number): number {
  const kind = characterClass(code)
  if (code > 0xffff) return kind === WORD || kind === UNSPACED || kind === MARK ? UNREADABLE : 0
  if (isSurrogate(code)) return surrogateEntry(code)
  if (kind === UNSPACED) return RARE | (2 << GROUPS) | code
  if (kind !== WORD && kind !== MARK) return 0
  const lower = lowerCase(code)
  return lower === 0 ? UNREADABLE : lower | (kind === WORD ? IN_WORD : RARE | IN_WORD_INSIDE)
}

/** The entry of a code point under a tokenizer that languages name; `marks` says whether their words are full of marks. */
export function languageEntry(code: number, table: FoldTable, marks: boolean): number {
  if (isSurrogate(code)) return surrogateEntry(code)
  const kind = table.kind(code)
  const bits = normalizationBits(code, (part) => table.kind(part) === BREAK)
  if (code > 0xffff) return kind !== BREAK || bits & CHANGES ? UNREADABLE : 0
  const form = String.fromCharCode(code).normalize('NFKC')
  if (form === '.' || form === ',') return RARE | IS_POINT
  // Marks on a character between words are between words, in any order.
  if (kind === BREAK) return bits & CHANGES && RARE | CHANGES
  if (form[1] === NUKTA && form.length === 2) {
    return RARE | IN_WORD | WITH_NUKTA | NONSTARTER | form.charCodeAt(0)
  }
  const entry = bits | kindBits(kind) | table.fold(code)
  const isFrequent = kind === LETTER || kind === DIGIT || (kind === SIGN && marks)
  // A letter that has a mark is of interest to the mark behind it only.
  return isFrequent && !(bits & ~NONSTARTER) ? entry : RARE | entry
}

function kindBits(kind: number): number {
  if (kind >= HANGUL) return (kind - HANGUL + 1) << GROUPS
  if (kind === LETTER) return IN_WORD
  if (kind === DIGIT) return IN_WORD | IS_DIGIT
  return kind === SIGN ? IN_WORD_INSIDE : IS_SKIPPED
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xe000
}

/** A second half stands between words, as its first half does. */
function surrogateEntry(code: number): number {
  return code < 0xdc00 ? RARE | BEYOND : 0
}
