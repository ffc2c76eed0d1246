import { KithError } from '../error.ts'
import { characterClass, MARK, UNSPACED, WORD } from './characters.ts'
import { languageSpans } from './language-spans.ts'
import { checkString } from './prepare-text.ts'
import { hashOf, hashString } from './term-counter.ts'
import {
  checkTokenizer,
  isBasic,
  nameOfTokenizer,
  type TokenizerName,
  termOf,
} from './tokenizer.ts'

/** A term of a text, and where the text has it: the part from `start` to before `end`. */
export interface TermSpan {
  term: string
  start: number
  end: number
}

/**
 * Returns the terms of a text in order, with their positions, to show which words of a text
 * matched. `prepareText` counts the same terms; stop words have none.
 *
 * ```ts
 * termSpans('Wings flutter')[0] // { term: 'wing', start: 0, end: 5 }
 * ```
 */
export function termSpans(text: string, tokenizer: TokenizerName = 'english'): TermSpan[] {
  checkString(text)
  if (typeof tokenizer === 'function') {
    throw new KithError(
      'BAD_INPUT',
      'a tokenizer that is a function does not return the positions of its terms',
    )
  }
  checkTokenizer('tokenizer', tokenizer)
  if (!isBasic(tokenizer)) return languageSpans(text, nameOfTokenizer(tokenizer))
  const spans: TermSpan[] = []
  let start = 0
  while (start < text.length) {
    const kind = classAt(text, start)
    if (kind === WORD) {
      const end = endOf(text, start, (next) => next === WORD || next === MARK)
      const term = termOf(text.slice(start, end).toLowerCase(), tokenizer)
      if (term !== '') spans.push({ term, start, end })
      start = end
    } else if (kind === UNSPACED) {
      const end = endOf(text, start, (next) => next === UNSPACED || next === MARK)
      spans.push(...pairsOf(text, start, end))
      start = end
    } else start += widthAt(text, start)
  }
  return spans
}

/** The 53-bit hash of a term, as postings and statistics have it. */
export function termHash(term: string): number {
  return hashOf(...hashString(term))
}

/** Pairs of neighboring characters, each with its marks; a character on its own is a term. */
function pairsOf(text: string, from: number, to: number): TermSpan[] {
  const starts: number[] = []
  for (let at = from; at < to; at += widthAt(text, at)) {
    if (classAt(text, at) === UNSPACED) starts.push(at)
  }
  const span = (start: number, end: number) => ({ term: text.slice(start, end), start, end })
  if (starts.length === 1) return [span(from, to)]
  return starts.slice(1).map((_, i) => span(starts[i]!, starts[i + 2] ?? to))
}

function endOf(text: string, start: number, continues: (kind: number) => boolean): number {
  let end = start
  while (end < text.length && continues(classAt(text, end))) end += widthAt(text, end)
  return end
}

function classAt(text: string, at: number): number {
  return characterClass(text.codePointAt(at)!)
}

function widthAt(text: string, at: number): number {
  return text.codePointAt(at)! > 0xffff ? 2 : 1
}
