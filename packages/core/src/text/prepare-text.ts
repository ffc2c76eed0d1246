import { KithError } from '../error.ts'
import { appendAscii } from '../kernel/word-counter.ts'
import { show } from '../settings/show.ts'
import { asciiWord, characterClass, lowerCase, MARK, UNSPACED, WORD } from './characters.ts'
import { POSTING, Postings } from './postings.ts'
import { FACTOR_A, FACTOR_B, SEED_A, SEED_B, TermCounter } from './term-counter.ts'
import { codeAt, encode, widthOf } from './utf8.ts'

/**
 * The terms of a text, hashed and counted. Plain data: it can be stored, and
 * posted to a worker.
 */
export interface PreparedText {
  /** Three words a term: two halves of its hash, and the bits of the float 1 + ln tf. */
  readonly postings: Uint32Array
}

/** A text, or one that was prepared before. */
export type Text = string | PreparedText

const counter = new TermCounter()
const single = new Postings()

/**
 * Splits a text into terms and counts them (docs/method.md section 4, the text
 * view), once for all contexts that the text will be in.
 *
 * Terms are lower-cased runs of letters and digits with the marks on them; in
 * scripts written without spaces, pairs of neighbouring characters.
 */
export function prepareText(text: string): PreparedText {
  if (typeof text !== 'string') {
    throw new KithError('BAD_INPUT', `a text must be a string, not ${show(text)}`)
  }
  single.clear()
  appendText(single, text)
  return { postings: single.used().slice() }
}

/** A text, or the postings of a prepared one, which are read once; undefined if a value is neither. */
export function readText(value: unknown): string | Uint32Array | undefined {
  if (typeof value === 'string') return value
  const postings = (value as PreparedText | null | undefined)?.postings
  // A Proxy of an array is an instance of its class, but has no length.
  if (!(postings instanceof Uint32Array && ArrayBuffer.isView(postings))) return undefined
  return postings.length % POSTING === 0 ? postings : undefined
}

/** Appends the postings of a text, or those of a prepared one. */
export function appendText(postings: Postings, text: string | Uint32Array): void {
  if (typeof text === 'string') {
    if (!appendAscii(postings, text)) appendString(postings, text)
    return
  }
  const at = postings.extend(text.length)
  postings.words.set(text, at)
  postings.endText()
}

/** Appends the postings of any text: the way for all of Unicode, and the oracle of `appendAscii`. */
export function appendString(postings: Postings, text: string): void {
  const bytes = encode(text)
  const end = bytes.length
  let at = 0
  while (at < end) {
    const byte = bytes[at]!
    if (byte < 128) {
      at = asciiWord[byte] ? takeWord(bytes, at) : at + 1
      continue
    }
    const code = codeAt(bytes, at)
    const kind = characterClass(code)
    if (kind === WORD) at = takeWord(bytes, at)
    else if (kind === UNSPACED) at = takePairs(bytes, at)
    else at += widthOf(code)
  }
  counter.drain(postings)
}

/** Counts the word that starts here; returns where it ends. */
function takeWord(bytes: Uint8Array, start: number): number {
  let a = SEED_A
  let b = SEED_B
  let at = start
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
      if (lower === 0) return takeIrregularWord(bytes, start)
      at += widthOf(code)
    }
    a = Math.imul(a ^ lower, FACTOR_A)
    b = Math.imul(b ^ lower, FACTOR_B)
  }
  counter.count(a, b)
  return at
}

/** A word whose lower case has to be made as a whole. */
function takeIrregularWord(bytes: Uint8Array, start: number): number {
  let word = ''
  let at = start
  while (at < bytes.length) {
    const code = codeAt(bytes, at)
    const kind = characterClass(code)
    if (kind !== WORD && kind !== MARK) break
    word += String.fromCodePoint(code)
    at += widthOf(code)
  }
  const codes = Array.from(word.toLowerCase(), (character) => character.codePointAt(0)!)
  countTerm(codes, 0)
  return at
}

/** Counts every pair of neighbouring characters, marks included; a character on its own is a term. */
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
  let a = SEED_A
  let b = SEED_B
  for (let i = from; i < codes.length; i++) {
    a = Math.imul(a ^ codes[i]!, FACTOR_A)
    b = Math.imul(b ^ codes[i]!, FACTOR_B)
  }
  counter.count(a, b)
}
