import { appendUnits } from '../kernel/word-counter.ts'
import { Postings, preparedOf } from './postings.ts'
import { appendText, type PreparedText } from './prepare-text.ts'
import type { TermStatisticsBuilder } from './term-statistics.ts'
import type { TokenizerName } from './tokenizer.ts'

/** A text that was read from a file, without a string for it. */
export interface Utf16Text {
  /** The title, a space, and the text; or the text alone. */
  units: Uint16Array
  /** Where the text starts: 0 if it has no title. */
  start: number
}

const decoder = new TextDecoder('utf-16le', { ignoreBOM: true })
const single = new Postings()

/** Prepares a text, as `prepareText` does with its title and text. */
export function prepareUtf16(text: Utf16Text, tokenizer: TokenizerName): PreparedText {
  return preparedOf(postingsOf(text, tokenizer), tokenizer)
}

/** Counts the terms of a document, as `add` of the builder does with its title and text. */
export function countUtf16(
  builder: TermStatisticsBuilder,
  text: Utf16Text,
  tokenizer: TokenizerName,
): void {
  builder.addPostings(postingsOf(text, tokenizer))
}

/** The postings of a text; valid until the next call. */
function postingsOf({ units, start }: Utf16Text, tokenizer: TokenizerName): Postings {
  single.clear()
  if (tokenizer === 'code' || !appendUnits(single, units, start, tokenizer)) {
    const title = start === 0 ? '' : decoder.decode(units.subarray(0, start - 1))
    appendText(single, { title, text: decoder.decode(units.subarray(start)) }, tokenizer)
  }
  return single
}
