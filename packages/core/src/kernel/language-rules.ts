import { BREAK, DIGIT, FoldTable, HANGUL, LETTER, SIGN } from '../text/fold.ts'
import { LanguageRules } from '../text/language.ts'
import { LONGEST_WORD } from '../text/tokenizer.ts'
import { CHANGES, composePair, NONSTARTER, normalizationBits } from '../text/unnormalized.ts'
import type { WordRules } from './word-counter.ts'
import {
  GROUPS,
  IN_WORD,
  IN_WORD_INSIDE,
  isSurrogate,
  RARE,
  surrogateEntry,
  UNREADABLE,
} from './word-entries.ts'

// More bits of an entry of a character.
const IS_DIGIT = 1 << 18
const IS_POINT = 1 << 19
const IS_SKIPPED = 1 << 24
const WITH_NUKTA = 1 << 27

/** A sign of Devanagari that normalization parts from its letters. */
const NUKTA = '\u093c'

/** The rules of a tokenizer that languages name. */
export function languageRules(tokenizer: string): WordRules {
  const rules = new LanguageRules(tokenizer)
  const table = new FoldTable(rules.folding)
  return {
    normalizes: true,
    marks: rules.marks,
    terms: rules.prefixes ? 2 : 1,
    entry: (code) => languageEntry(code, table, rules.marks),
    composes: composePair,
    termsOf: (word) => {
      const folded = table.foldWord(word.normalize('NFKC'))
      // A word that is too long to be one is a term as it is.
      const terms = folded.length > LONGEST_WORD ? ([folded, ''] as const) : rules.terms(folded)
      return rules.prefixes ? terms : terms.slice(0, 1)
    },
  }
}

/** The entry of a code point under a tokenizer that languages name; `marks` says whether their words are full of marks. */
function languageEntry(code: number, table: FoldTable, marks: boolean): number {
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
