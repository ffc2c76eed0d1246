import { announcesName, identifierTerms, nameBehind } from './code-terms.ts'
import { BREAK, DIGIT, FoldTable, HANGUL, LETTER, SIGN, SKIPPED, SOUND } from './fold.ts'
import { LanguageRules } from './language.ts'
import type { TermSpan } from './term-spans.ts'
import { LONGEST_WORD } from './tokenizer.ts'

/** A text after NFKC, and where the text has each of its units. */
export interface NormalizedText {
  text: string
  /** The start of the character that a unit comes from. */
  start: (unit: number) => number
  /** The end of the character that a unit comes from. */
  end: (unit: number) => number
}

/** A character with all that NFKC may join to it: marks, the later letters of a Hangul syllable, voiced marks of half width. */
const JOINED = /.[\p{M}\u1160-\u11ff\u3131-\u3163\uff9e\uff9f\uffa0-\uffdc]*/gsu

/** Normalizes a text and keeps the places of its characters. */
export function normalizeWithPlaces(text: string): NormalizedText {
  const normalized = text.normalize('NFKC')
  if (normalized === text) return { text, start: (unit) => unit, end: (unit) => unit + 1 }
  const starts: number[] = []
  const ends: number[] = []
  for (const { 0: part, index } of text.matchAll(JOINED)) {
    for (let i = part.normalize('NFKC').length; i > 0; i--) {
      starts.push(index)
      ends.push(index + part.length)
    }
  }
  return { text: normalized, start: (unit) => starts[unit]!, end: (unit) => ends[unit]! }
}

/** A code point of a normalized text. */
interface Character {
  kind: number
  start: number
  end: number
}

/** The terms of a text under a tokenizer that languages name, or `code`, in the order of `scanText`. */
export function languageSpans(original: string, tokenizer: string): TermSpan[] {
  const { text, start, end } = normalizeWithPlaces(original)
  const rules = tokenizer === 'code' ? undefined : new LanguageRules(tokenizer)
  const table = new FoldTable(rules?.folding ?? 'code')
  const first: TermSpan[] = []
  const further: TermSpan[] = []
  const add = (to: TermSpan[], term: string, from: number, before: number): void => {
    if (term !== '') to.push({ term, start: start(from), end: end(before - 1) })
  }
  const characters = charactersOf(text, table)
  let name = -1
  for (let i = 0; i < characters.length; ) {
    const { kind, start: from } = characters[i]!
    if (kind === LETTER || kind === DIGIT) {
      const next = endOfWord(text, characters, i)
      const before = characters[next - 1]!.end
      const word = table.foldWord(text.slice(from, before))
      if (Array.from(word).length > LONGEST_WORD) add(first, word, from, before)
      else if (rules) {
        const [term, prefix] = rules.terms(word)
        add(first, term, from, before)
        add(further, prefix, from, before)
      } else {
        const { parts, whole } = identifierTerms(word)
        for (const part of parts) add(first, part, from, before)
        add(further, whole, from, before)
        if (from === name) for (const term of [...parts, whole]) add(further, term, from, before)
        if (announcesName(text.slice(from, before))) name = Math.max(name, nameBehind(text, before))
      }
      i = next
    } else if (kind >= HANGUL) {
      const next = endOfRun(characters, i)
      const clusters = clustersOf(characters.slice(i, next))
      const size = Math.min(clusters.length, kind === SOUND ? 3 : 2)
      for (let c = 0; c + size <= clusters.length; c++) {
        const [from, before] = [clusters[c]!.start, clusters[c + size - 1]!.end]
        add(first, table.foldWord(text.slice(from, before)), from, before)
      }
      i = next
    } else i++
  }
  return [...first, ...further]
}

function charactersOf(text: string, table: FoldTable): Character[] {
  const characters: Character[] = []
  let start = 0
  for (const character of text) {
    const end = start + character.length
    characters.push({ kind: table.kind(character.codePointAt(0)!), start, end })
    start = end
  }
  return characters
}

/** The index behind the last character of the word that starts at an index. */
function endOfWord(text: string, characters: readonly Character[], from: number): number {
  let before = 0
  let i = from
  for (; i < characters.length; i++) {
    const { kind, start } = characters[i]!
    if (kind === SKIPPED) continue
    const isPoint = kind === BREAK && (text[start] === '.' || text[start] === ',')
    if (kind === LETTER || kind === DIGIT || kind === SIGN) before = kind
    else if (!(isPoint && before === DIGIT && characters[i + 1]?.kind === DIGIT)) break
  }
  return i
}

/** The index behind the last character of the run without spaces that starts at an index. */
function endOfRun(characters: readonly Character[], from: number): number {
  let i = from
  while (i < characters.length) {
    const { kind } = characters[i]!
    if (kind !== SIGN && kind !== SKIPPED && kind !== characters[from]!.kind) break
    i++
  }
  return i
}

/** Characters with the marks on them. */
function clustersOf(run: readonly Character[]): Character[] {
  const clusters: Character[] = []
  for (const { kind, start, end } of run) {
    if (kind === SIGN || kind === SKIPPED) clusters.at(-1)!.end = end
    else clusters.push({ kind, start, end })
  }
  return clusters
}
