import '@kith/languages'
import {
  mergeTermStatistics,
  type TermStatistics,
  TermStatisticsBuilder,
  type TokenizerName,
  termStatistics,
} from '@kith/core'
import type { StoreDocument } from './store.ts'
import { wholeText } from './whole-text.ts'

/** The parts of a document that its terms come from. */
export type TextOfDocument = Pick<StoreDocument, 'title' | 'text'>

/** The statistics of a collection without documents. */
export function noTerms(tokenizer: TokenizerName): TermStatistics {
  return termStatistics([], { tokenizer })
}

/**
 * The tokenizer of a change: the one that was asked for, or the collection's own. Collections of
 * earlier versions, and new ones, have `english` terms.
 */
export function changeTokenizer(
  asked: TokenizerName | undefined,
  own: TermStatistics | undefined,
): TokenizerName {
  // A store counts by names alone.
  return asked ?? (own?.tokenizer as TokenizerName | undefined) ?? 'english'
}

/** Changes of a collection's documents, and what they make of its term statistics. */
export class TermChanges {
  readonly tokenizer: TokenizerName
  readonly #added: TermStatisticsBuilder
  readonly #removed: TermStatisticsBuilder
  #rows = 0

  constructor(tokenizer: TokenizerName) {
    this.tokenizer = tokenizer
    this.#added = new TermStatisticsBuilder({ tokenizer })
    this.#removed = new TermStatisticsBuilder({ tokenizer })
  }

  /** How many documents there are more than before, with texts or without. */
  get rows(): number {
    return this.#rows
  }

  /** Counts documents that were added, or that took the place of others. */
  add(documents: Iterable<TextOfDocument>): void {
    for (const document of documents) {
      this.#rows++
      count(this.#added, document)
    }
  }

  /** Takes out documents that were removed or replaced, as they were before. */
  remove(documents: Iterable<TextOfDocument>): void {
    for (const document of documents) {
      this.#rows--
      count(this.#removed, document)
    }
  }

  /** The statistics of the documents that were added. */
  added(): TermStatistics {
    return this.#added.finish()
  }

  /** The statistics after the changes; undefined if these cannot be the ones before. */
  applyTo(before: TermStatistics): TermStatistics | undefined {
    if (before.tokenizer !== this.tokenizer) return undefined
    const more = mergeTermStatistics([before, this.#added.finish()])
    return this.#removed.documents === 0 ? more : subtract(more, this.#removed.finish())
  }
}

function count(builder: TermStatisticsBuilder, document: TextOfDocument): void {
  const text = wholeText(document)
  if (text !== undefined) builder.add(text)
}

/** Statistics without some of their documents; undefined if these documents were never counted. */
function subtract(whole: TermStatistics, part: TermStatistics): TermStatistics | undefined {
  const frequencies = Float64Array.from(whole.frequencies)
  let at = 0
  for (const [i, hash] of part.hashes.entries()) {
    while (at < whole.hashes.length && whole.hashes[at]! < hash) at++
    if (whole.hashes[at] !== hash) return undefined
    frequencies[at]! -= part.frequencies[i]!
  }
  const documents = whole.documents - part.documents
  const length = whole.length - part.length
  if (documents < 0 || length < 0) return undefined
  if (frequencies.some((frequency) => frequency < 0 || frequency > documents)) return undefined
  return {
    tokenizer: whole.tokenizer,
    documents,
    length,
    hashes: whole.hashes.filter((_, i) => frequencies[i]! > 0),
    frequencies: Uint32Array.from(frequencies.filter((frequency) => frequency > 0)),
  }
}
