import { announcesName, identifierTerms, nameBehind } from './code-terms.ts'
import { BREAK, DIGIT, FoldTable, HANGUL, LETTER, SIGN, SKIPPED, SOUND, SURROGATE } from './fold.ts'
import { LanguageRules } from './language.ts'
import { StemCache } from './stem-cache.ts'
import { FACTOR_A, FACTOR_B, hashTerm, SEED_A, SEED_B, type TermCounter } from './term-counter.ts'
import { LONGEST_WORD } from './tokenizer.ts'

const POINT = 0x2e
const COMMA = 0x2c

/**
 * Counts the terms of texts under a tokenizer that a language names, or `code`: what `termSpans` finds,
 * in one pass, by hashes. Terms of the first kind come in the order of the text, so that terms side by
 * side are words side by side; behind all of them come further terms of the same words.
 */
abstract class TextScanner {
  protected readonly table: FoldTable
  #further = new Int32Array(256)
  #size = 0
  protected text = ''
  protected counter!: TermCounter

  constructor(table: FoldTable) {
    this.table = table
  }

  /** Counts the terms of a text. */
  scan(text: string, counter: TermCounter): void {
    this.text = text.normalize('NFKC')
    this.counter = counter
    const { text: units } = this
    const { entries } = this.table
    let at = 0
    while (at < units.length) {
      const unit = units.charCodeAt(at)
      let kind = (entries[unit] || this.table.fill(unit)) >> 16
      if (kind === SURROGATE) kind = this.table.kind(units.codePointAt(at)!)
      if (kind === LETTER || kind === DIGIT) at = this.#takeWord(at)
      else if (kind >= HANGUL) at = this.#takeGroups(at)
      else at += widthAt(units, at)
    }
    for (let i = 0; i < this.#size; i += 2) counter.count(this.#further[i]!, this.#further[i + 1]!)
    this.#size = 0
    this.text = ''
  }

  /** Counts the terms of the word between two places, which has these hashes. */
  protected abstract word(a: number, b: number, start: number, end: number): void

  /** Counts a term behind all terms of the first kind. */
  protected later(a: number, b: number): void {
    if (this.#size === this.#further.length) {
      const further = new Int32Array(this.#size * 2)
      further.set(this.#further)
      this.#further = further
    }
    this.#further[this.#size++] = a
    this.#further[this.#size++] = b
  }

  /** Reads the word that starts here; returns where it ends. */
  #takeWord(start: number): number {
    const { text } = this
    const { entries } = this.table
    const end = text.length
    let a = SEED_A
    let b = SEED_B
    let length = 0
    let before = 0
    let at = start
    while (at < end) {
      const unit = text.charCodeAt(at)
      const entry = entries[unit] || this.table.fill(unit)
      let kind = entry >> 16
      let letter = entry & 0xffff
      if (kind === SURROGATE) {
        const code = text.codePointAt(at)!
        kind = this.table.kind(code)
        letter = this.table.fold(code)
        if (kind === LETTER || kind === DIGIT || kind === SIGN) at++
      }
      if (kind === LETTER || kind === DIGIT || kind === SIGN) {
        before = kind
      } else if (kind === SKIPPED) {
        at += widthAt(text, at)
        continue
      } else if (before === DIGIT && this.#isPoint(at)) letter = POINT
      else break
      a = Math.imul(a ^ letter, FACTOR_A)
      b = Math.imul(b ^ letter, FACTOR_B)
      length++
      at++
    }
    if (length > LONGEST_WORD) this.counter.count(a, b)
    else this.word(a, b, start, at)
    return at
  }

  /** Whether a point or comma between two digits is here. */
  #isPoint(at: number): boolean {
    const unit = this.text.charCodeAt(at)
    if ((unit !== POINT && unit !== COMMA) || at + 1 === this.text.length) return false
    return this.table.kind(this.text.codePointAt(at + 1)!) === DIGIT
  }

  /** Counts the groups of characters of the run that starts here; returns where the run ends. */
  #takeGroups(start: number): number {
    const { text } = this
    const table = this.table
    let kind = table.kind(text.codePointAt(start)!)
    const run = kind
    // Hashes of a character alone, with the one before it, and with the two before it.
    let [aloneA, aloneB, pairA, pairB, tripleA, tripleB] = [0, 0, 0, 0, 0, 0]
    let characters = 0
    let at = start
    while (kind === run) {
      tripleA = pairA
      tripleB = pairB
      pairA = aloneA
      pairB = aloneB
      aloneA = SEED_A
      aloneB = SEED_B
      // A character, and the marks on it.
      do {
        const code = text.codePointAt(at)!
        if (kind !== SKIPPED) {
          const letter = table.fold(code)
          aloneA = Math.imul(aloneA ^ letter, FACTOR_A)
          aloneB = Math.imul(aloneB ^ letter, FACTOR_B)
          pairA = Math.imul(pairA ^ letter, FACTOR_A)
          pairB = Math.imul(pairB ^ letter, FACTOR_B)
          tripleA = Math.imul(tripleA ^ letter, FACTOR_A)
          tripleB = Math.imul(tripleB ^ letter, FACTOR_B)
        }
        at += code > 0xffff ? 2 : 1
        kind = at < text.length ? table.kind(text.codePointAt(at)!) : BREAK
      } while (kind === SIGN || kind === SKIPPED)
      characters++
      if (run !== SOUND && characters > 1) this.counter.count(pairA, pairB)
      else if (characters > 2) this.counter.count(tripleA, tripleB)
    }
    if (characters === 1) this.counter.count(aloneA, aloneB)
    else if (characters === 2 && run === SOUND) this.counter.count(pairA, pairB)
    return at
  }
}

/** Counts the terms of texts under a tokenizer that one or more languages name. */
class LanguageScanner extends TextScanner {
  readonly #rules: LanguageRules
  readonly #terms: StemCache

  constructor(rules: LanguageRules) {
    super(new FoldTable(rules.folding))
    this.#rules = rules
    this.#terms = new StemCache(rules.prefixes ? 2 : 1)
  }

  protected override word(a: number, b: number, start: number, end: number): void {
    const terms = this.#terms
    let found = terms.find(a, b)
    if (found < 0) found = this.#learn(a, b, start, end)
    const termA = terms.at(found)
    const termB = terms.at(found + 1)
    if (termA === 0 && termB === 0) return
    this.counter.count(termA, termB)
    if (this.#rules.prefixes) this.later(terms.at(found + 2), terms.at(found + 3))
  }

  #learn(a: number, b: number, start: number, end: number): number {
    const [term, prefix] = this.#rules.terms(this.table.foldWord(this.text.slice(start, end)))
    const second = this.#rules.prefixes ? hashTerm(prefix) : []
    return this.#terms.set(a, b, ...hashTerm(term), ...second)
  }
}

/** Identifiers whose terms are kept. */
const KEPT_IDENTIFIERS = 1 << 16

/** The data that the counter needs of an identifier. */
interface Identifier {
  /** The hashes of its parts, and then of the whole. */
  parts: Int32Array
  whole: Int32Array
  /** Its length if it announces the name of a definition, else 0. */
  announces: number
}

/** Counts the terms of code. */
class CodeScanner extends TextScanner {
  /** Which of the identifiers has some hashes. */
  #places = new StemCache()
  #known: Identifier[] = []
  /** Where the name of a definition starts that was announced. */
  #name = -1

  constructor() {
    super(new FoldTable('code'))
  }

  override scan(text: string, counter: TermCounter): void {
    this.#name = -1
    super.scan(text, counter)
  }

  protected override word(a: number, b: number, start: number, end: number): void {
    const found = this.#places.find(a, b)
    const place = found < 0 ? this.#learn(a, b, start, end) : this.#places.at(found)
    const { parts, whole, announces } = this.#known[place]!
    for (let i = 0; i < parts.length; i += 2) this.counter.count(parts[i]!, parts[i + 1]!)
    this.#countLater(whole)
    // A definition's name counts twice.
    if (start === this.#name) {
      this.#countLater(parts)
      this.#countLater(whole)
    }
    // Words with characters that are not read have another length.
    if (announces === end - start) this.#name = Math.max(this.#name, nameBehind(this.text, end))
  }

  #learn(a: number, b: number, start: number, end: number): number {
    if (this.#known.length === KEPT_IDENTIFIERS) {
      this.#places = new StemCache()
      this.#known = []
    }
    const identifier = this.table.foldWord(this.text.slice(start, end))
    const { parts, whole } = identifierTerms(identifier)
    this.#known.push({
      parts: hashesOf(parts),
      whole: hashesOf(whole === '' ? [] : [whole]),
      announces: announcesName(identifier) ? identifier.length : 0,
    })
    this.#places.set(a, b, this.#known.length - 1, 0)
    return this.#known.length - 1
  }

  #countLater(hashes: Int32Array): void {
    for (let i = 0; i < hashes.length; i += 2) this.later(hashes[i]!, hashes[i + 1]!)
  }
}

const scanners = new Map<string, TextScanner>()

/** The scanner of a tokenizer; they are kept, with what they learned about words. */
export function scannerOf(tokenizer: string): TextScanner {
  let scanner = scanners.get(tokenizer)
  if (!scanner) {
    scanner =
      tokenizer === 'code' ? new CodeScanner() : new LanguageScanner(new LanguageRules(tokenizer))
    scanners.set(tokenizer, scanner)
  }
  return scanner
}

function widthAt(text: string, at: number): number {
  return text.codePointAt(at)! > 0xffff ? 2 : 1
}

function hashesOf(terms: readonly string[]): Int32Array {
  return Int32Array.from(terms.flatMap(hashTerm))
}
