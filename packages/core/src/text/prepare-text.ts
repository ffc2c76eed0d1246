import { KithError } from '../error.ts'
import { appendWords } from '../kernel/word-counter.ts'
import { isCount, isObject } from '../matrix.ts'
import { refuseUnknown } from '../settings/names.ts'
import { show } from '../settings/show.ts'
import { asciiWord, characterClass, lowerCase, MARK, UNSPACED, WORD } from './characters.ts'
import { furtherTokenizers } from './further-tokenizers.ts'
import { noPositions, POSTING, Postings, preparedOf } from './postings.ts'
import { StemCache } from './stem-cache.ts'
import {
  FACTOR_A,
  FACTOR_B,
  hashCodes,
  hashString,
  hashTerm,
  SEED_A,
  SEED_B,
  TermCounter,
} from './term-counter.ts'
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

/** The terms of a text, hashed and counted. Plain data: it can be stored, and posted to a worker. */
export interface PreparedText {
  /** Three words per term: two halves of its hash, and its count in the text; terms of the title first. */
  readonly postings: Uint32Array
  /**
   * The positions of the terms in the text, from 0: as many numbers for each posting as the text
   * has the term, 4 bytes each. Without them the text has no window of terms.
   */
  readonly positions?: Uint32Array | undefined
  /** How many of the first postings are the terms of the title; 0 without it. */
  readonly titleTerms?: number | undefined
  /** How its terms were made: only texts with the same terms can be compared. */
  readonly tokenizer: TokenizerName | 'function'
}

/** A text with a title, whose terms come before the terms of the text. */
export interface TitledText {
  title?: string | undefined
  text: string
}

/** A text, one with a title, or one that was prepared before. */
export type Text = string | TitledText | PreparedText

/** How a text is prepared. */
export interface PrepareOptions extends TokenizerOption {
  /** Whether to keep where the terms are, `true` by default: 4 bytes a term beside 12 a different one. */
  positions?: boolean | undefined
}

/** A text whose properties were read and checked. */
type ReadText = string | TitledText | PreparedText

const counter = new TermCounter()
const single = new Postings()
const caches = new Map<TokenizerName, StemCache>()

/**
 * Splits a text into terms and counts them (docs/method.md section 4), once for all contexts that
 * the text will be in.
 *
 * Words are lower-cased runs of letters and digits with the marks on them; in scripts written
 * without spaces, pairs of neighboring characters. `tokenizer` says how words become terms, and must
 * be the tokenizer of the calls that get the text.
 *
 * ```ts
 * const prepared = prepareText({ title: 'Wing flutter', text: 'Tests at Mach 2 …' })
 * ```
 */
export function prepareText(text: string | TitledText, options?: PrepareOptions): PreparedText {
  const { tokenizer = 'english', positions = true } = isObject(options) ? options : {}
  checkTokenizer('tokenizer', tokenizer)
  const read = typeof text === 'string' ? text : readTitled(text)
  if (read === undefined) throw notText(text)
  single.clear()
  appendText(single, read, tokenizer)
  return preparedOf(single, nameOfTokenizer(tokenizer), positions)
}

/**
 * A text whose properties are read once; undefined if a value is none. `name` is the text's name in
 * the message about other terms.
 */
export function readText(
  value: unknown,
  tokenizer: Tokenizer,
  name: () => string,
): ReadText | undefined {
  if (typeof value === 'string') return value
  if (!isObject(value)) return undefined
  if (!('postings' in value)) return readTitled(value)
  const { postings, positions, titleTerms = 0, tokenizer: own } = value as PreparedText
  if (!isWords(postings) || postings.length % POSTING !== 0) return undefined
  if (positions !== undefined && !isWords(positions)) return undefined
  if (!isCount(titleTerms) || titleTerms * POSTING > postings.length) return undefined
  if (own === nameOfTokenizer(tokenizer)) return { postings, positions, titleTerms, tokenizer: own }
  throw new KithError(
    'BAD_INPUT',
    `the text of ${name()} was prepared with tokenizer ${show(own)}, but this call uses ${show(nameOfTokenizer(tokenizer))}; prepare it with prepareText(text, { tokenizer })`,
  )
}

/** A text with a title, each read once; undefined if a value is none. */
function readTitled(value: unknown): TitledText | undefined {
  if (!isObject(value) || !('text' in value)) return undefined
  refuseUnknown(value, { part: 'property of a text', known: ['title', 'text'] })
  const { title, text } = value as TitledText
  const read = { title: title ?? '', text }
  return typeof read.title === 'string' && typeof text === 'string' ? read : undefined
}

/** A Proxy of an array is an instance of its class, but has no length. */
function isWords(value: unknown): value is Uint32Array {
  return value instanceof Uint32Array && ArrayBuffer.isView(value)
}

/** Throws unless a text is a string. */
export function checkString(text: unknown): asserts text is string {
  if (typeof text === 'string') return
  throw new KithError('BAD_INPUT', `a text must be a string, got ${show(text)}`)
}

/** The error for a value that is no text. */
export function notText(value: unknown): KithError {
  return new KithError(
    'BAD_INPUT',
    `a text must be a string, { title, text } or a prepared text, got ${show(value)}`,
  )
}

/** Appends the postings of a text or of a prepared text. */
export function appendText(postings: Postings, text: ReadText, tokenizer: Tokenizer): void {
  if (typeof text === 'string') appendParts(postings, '', text, tokenizer)
  else if ('postings' in text) {
    const at = postings.extend(text.postings.length)
    postings.words.set(text.postings, at)
    postings.endText(text.titleTerms ?? 0, text.positions ?? noPositions, true)
  } else appendParts(postings, text.title ?? '', text.text, tokenizer)
}

function appendParts(postings: Postings, title: string, text: string, tokenizer: Tokenizer): void {
  if (typeof tokenizer === 'function') appendTerms(postings, title, text, tokenizer)
  else {
    const name = nameOfTokenizer(tokenizer) as TokenizerName
    if (name !== 'code' && appendWords(postings, title, text, name)) return
    if (isBasic(name)) appendString(postings, text, name, title)
    else appendScanned(postings, title, text, name)
  }
}

/** Appends the postings of any text under a tokenizer that languages name, or `code`. */
function appendScanned(postings: Postings, title: string, text: string, tokenizer: string): void {
  const scanner = furtherTokenizers(tokenizer).scannerOf(tokenizer)
  if (title !== '') scanner.scan(title, counter)
  const { size } = counter
  scanner.scan(text, counter)
  counter.drain(postings, size)
}

/** Appends the postings of any text under a tokenizer for English or for no language: what `appendWords` does for most. */
export function appendString(
  postings: Postings,
  text: string,
  tokenizer: TokenizerName,
  title = '',
): void {
  if (title !== '') countWords(title, tokenizer)
  const { size } = counter
  countWords(text, tokenizer)
  counter.drain(postings, size)
}

function countWords(text: string, tokenizer: TokenizerName): void {
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
}

/** The two hashes of the term of a lower-cased word; 0 and 0 for a stop word. */
export function hashWord(word: string, tokenizer: TokenizerName): [a: number, b: number] {
  return hashTerm(termOf(word, tokenizer))
}

/** Appends the postings of terms that a caller's function makes. */
function appendTerms(
  postings: Postings,
  title: string,
  text: string,
  tokenizer: (text: string) => readonly string[],
): void {
  // Checked before any is counted: an error must leave nothing in the counter.
  const first = title === '' ? [] : hashAll(tokenizer(title))
  const others = hashAll(tokenizer(text))
  for (const [a, b] of first) counter.count(a, b)
  const { size } = counter
  for (const [a, b] of others) counter.count(a, b)
  counter.drain(postings, size)
}

function hashAll(terms: readonly string[]): [a: number, b: number][] {
  if (!Array.isArray(terms)) {
    throw new KithError('BAD_INPUT', `the tokenizer must return an array, got ${show(terms)}`)
  }
  return terms.map((term: unknown) => {
    if (typeof term === 'string') return hashString(term)
    throw new KithError('BAD_INPUT', `the tokenizer must return strings, got ${show(term)}`)
  })
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
  const [a, b] = hashWord(word.toLowerCase(), tokenizer)
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
  if (found < 0) found = cache.set(a, b, ...hashWord(wordAt(bytes, start).toLowerCase(), tokenizer))
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
