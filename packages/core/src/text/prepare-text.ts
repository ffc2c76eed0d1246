import { KithError } from '../error.ts'
import { appendAscii } from '../kernel/word-counter.ts'
import { isObject } from '../matrix.ts'
import { show } from '../settings/show.ts'
import { asciiWord, characterClass, lowerCase, MARK, UNSPACED, WORD } from './characters.ts'
import { POSTING, Postings } from './postings.ts'
import { scannerOf } from './scan-text.ts'
import { StemCache } from './stem-cache.ts'
import { FACTOR_A, FACTOR_B, SEED_A, SEED_B, TermCounter } from './term-counter.ts'
import {
  checkTokenizer,
  isBasic,
  LONGEST_WORD,
  nameOfTokenizer,
  type Tokenizer,
  type TokenizerName,
  type TokenizerOption,
  termOf,
} from './tokenizer.ts'
import { codeAt, encode, widthOf } from './utf8.ts'

/**
 * The terms of a text, hashed and counted. Plain data: it can be stored, and
 * posted to a worker.
 */
export interface PreparedText {
  /** Three words a term: two halves of its hash, and how often the text has it. */
  readonly postings: Uint32Array
  /** How its terms were made: only texts with the same terms can be compared. */
  readonly tokenizer: TokenizerName | 'function'
}

/** A text, or one that was prepared before. */
export type Text = string | PreparedText

const counter = new TermCounter()
const single = new Postings()
const caches = new Map<TokenizerName, StemCache>()

/**
 * Splits a text into terms and counts them (docs/method.md section 4), once for all contexts that
 * the text will be in.
 *
 * Words are lower-cased runs of letters and digits with the marks on them; in scripts written
 * without spaces, pairs of neighboring characters. `terms` says how words become terms, and must be
 * that of the calls that get the text.
 */
export function prepareText(text: string, options?: TokenizerOption): PreparedText {
  checkString(text)
  const { tokenizer = 'english' } = isObject(options) ? options : {}
  checkTokenizer('tokenizer', tokenizer)
  single.clear()
  appendText(single, text, tokenizer)
  return { postings: single.used().slice(), tokenizer: nameOfTokenizer(tokenizer) }
}

/**
 * A text, or the postings of a prepared one, which are read once; undefined if a value is neither.
 * `name` is the text's name in the message about other terms.
 */
export function readText(
  value: unknown,
  tokenizer: Tokenizer,
  name: () => string,
): string | Uint32Array | undefined {
  if (typeof value === 'string') return value
  const { postings, tokenizer: own } = (value ?? {}) as PreparedText
  // A Proxy of an array is an instance of its class, but has no length.
  if (!(postings instanceof Uint32Array && ArrayBuffer.isView(postings))) return undefined
  if (postings.length % POSTING !== 0) return undefined
  if (own === nameOfTokenizer(tokenizer)) return postings
  throw new KithError(
    'BAD_INPUT',
    `the text of ${name()} was prepared with tokenizer ${show(own)}, but this call uses ${show(nameOfTokenizer(tokenizer))}; prepare it with prepareText(text, { tokenizer })`,
  )
}

/** Throws unless a text is a string. */
export function checkString(text: unknown): asserts text is string {
  if (typeof text === 'string') return
  throw new KithError('BAD_INPUT', `a text must be a string, not ${show(text)}`)
}

/** Appends the postings of a text, or those of a prepared one. */
export function appendText(
  postings: Postings,
  text: string | Uint32Array,
  tokenizer: Tokenizer,
): void {
  if (typeof text !== 'string') {
    const at = postings.extend(text.length)
    postings.words.set(text, at)
    postings.endText()
  } else if (typeof tokenizer === 'function') appendTerms(postings, tokenizer(text))
  else if (!isBasic(tokenizer)) {
    scannerOf(nameOfTokenizer(tokenizer)).scan(text, counter)
    counter.drain(postings)
  } else if (!appendAscii(postings, text, tokenizer as TokenizerName)) {
    appendString(postings, text, tokenizer as TokenizerName)
  }
}

/** Appends the postings of any text: the way for all of Unicode, and the oracle of `appendAscii`. */
export function appendString(postings: Postings, text: string, tokenizer: TokenizerName): void {
  const bytes = encode(text)
  const end = bytes.length
  let at = 0
  while (at < end) {
    const byte = bytes[at]!
    if (byte < 128) {
      at = asciiWord[byte] ? takeWord(bytes, at, tokenizer) : at + 1
      continue
    }
    const code = codeAt(bytes, at)
    const kind = characterClass(code)
    if (kind === WORD) at = takeWord(bytes, at, tokenizer)
    else if (kind === UNSPACED) at = takePairs(bytes, at)
    else at += widthOf(code)
  }
  counter.drain(postings)
}

/** The two hashes of the term of a lower-cased word; 0 and 0 for a stop word. */
export function hashTerm(word: string, tokenizer: TokenizerName): [a: number, b: number] {
  const term = termOf(word, tokenizer)
  return term === '' ? [0, 0] : hashString(term)
}

/** Appends the postings of terms that a caller's function made. */
function appendTerms(postings: Postings, terms: readonly string[]): void {
  if (!Array.isArray(terms)) {
    throw new KithError('BAD_INPUT', `the tokenizer returned ${show(terms)}, not an array`)
  }
  // Checked before any is counted: an error must leave nothing in the counter.
  const all = terms.map((term: unknown) => {
    if (typeof term === 'string') return hashString(term)
    throw new KithError('BAD_INPUT', `the tokenizer returned ${show(term)}, not a string`)
  })
  for (const [a, b] of all) counter.count(a, b)
  counter.drain(postings)
}

/** Counts the term of the word that starts here; returns where the word ends. */
function takeWord(bytes: Uint8Array, start: number, tokenizer: TokenizerName): number {
  let a = SEED_A
  let b = SEED_B
  let at = start
  let length = 0
  while (at < bytes.length) {
    const byte = bytes[at]!
    let lower: number
    if (byte < 128) {
      lower = asciiWord[byte]!
      if (lower === 0) break
      at++
    } else {
      const code = codeAt(bytes, at)
      const kind = characterClass(code)
      if (kind !== WORD && kind !== MARK) break
      lower = lowerCase(code)
      if (lower === 0) return takeIrregularWord(bytes, start, tokenizer)
      at += widthOf(code)
    }
    a = Math.imul(a ^ lower, FACTOR_A)
    b = Math.imul(b ^ lower, FACTOR_B)
    length++
  }
  if (tokenizer === 'none' || length > LONGEST_WORD) counter.count(a, b)
  else countStem(a, b, bytes, start, tokenizer)
  return at
}

/** A word whose lower case has to be made as a whole. */
function takeIrregularWord(bytes: Uint8Array, start: number, tokenizer: TokenizerName): number {
  const word = wordAt(bytes, start)
  const [a, b] = hashTerm(word.toLowerCase(), tokenizer)
  if (a !== 0 || b !== 0) counter.count(a, b)
  return start + encodedLength(word)
}

/** Counts the term of the word that starts here and has these hashes. */
function countStem(
  a: number,
  b: number,
  bytes: Uint8Array,
  start: number,
  tokenizer: TokenizerName,
): void {
  let cache = caches.get(tokenizer)
  if (!cache) {
    cache = new StemCache()
    caches.set(tokenizer, cache)
  }
  let found = cache.find(a, b)
  if (found < 0) found = cache.set(a, b, ...hashTerm(wordAt(bytes, start).toLowerCase(), tokenizer))
  const termA = cache.at(found)
  const termB = cache.at(found + 1)
  if (termA !== 0 || termB !== 0) counter.count(termA, termB)
}

/** The word that starts here, as it is written. */
function wordAt(bytes: Uint8Array, start: number): string {
  let word = ''
  for (let at = start; at < bytes.length; ) {
    const code = codeAt(bytes, at)
    const kind = characterClass(code)
    if (kind !== WORD && kind !== MARK) break
    word += String.fromCodePoint(code)
    at += widthOf(code)
  }
  return word
}

function encodedLength(word: string): number {
  let length = 0
  for (const character of word) length += widthOf(character.codePointAt(0)!)
  return length
}

/** Counts every pair of neighboring characters, marks included; a character on its own is a term. */
function takePairs(bytes: Uint8Array, start: number): number {
  const codes: number[] = []
  let before = -1
  let current = 0
  let at = start
  while (true) {
    const code = at < bytes.length ? codeAt(bytes, at) : 0
    const kind = characterClass(code)
    if (codes.length > 0 && kind !== MARK) {
      // A character with its marks ends here.
      if (before >= 0) countTerm(codes, before)
      else if (kind !== UNSPACED) countTerm(codes, current)
      if (kind !== UNSPACED) return at
      before = current
      current = codes.length
    }
    codes.push(code)
    at += widthOf(code)
  }
}

/** Counts the term that the code points from here on are. */
function countTerm(codes: readonly number[], from: number): void {
  counter.count(...hashCodes(codes, from))
}

/** The two hashes of a term, by its code points. */
function hashString(term: string): [a: number, b: number] {
  let a = SEED_A
  let b = SEED_B
  for (let at = 0; at < term.length; at++) {
    const code = term.codePointAt(at)!
    // One beyond the first plane takes two units.
    if (code > 0xffff) at++
    a = Math.imul(a ^ code, FACTOR_A)
    b = Math.imul(b ^ code, FACTOR_B)
  }
  return [a, b]
}

/** The two hashes of the term that the code points from here on are. */
export function hashCodes(codes: readonly number[], from: number): [a: number, b: number] {
  let a = SEED_A
  let b = SEED_B
  for (let i = from; i < codes.length; i++) {
    a = Math.imul(a ^ codes[i]!, FACTOR_A)
    b = Math.imul(b ^ codes[i]!, FACTOR_B)
  }
  return [a, b]
}
