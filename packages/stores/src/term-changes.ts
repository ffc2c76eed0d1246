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

/** Returns the term statistics of a collection without documents. */
export function noTerms(tokenizer: TokenizerName): TermStatistics {
  return termStatistics([], { tokenizer })
}

/**
 * Returns the tokenizer of a change: the requested tokenizer, or else the collection's own. New
 * collections, and collections of earlier versions, use `english`.
 */
export function changeTokenizer(
  asked: TokenizerName | undefined,
  own: TermStatistics | undefined,
): TokenizerName {
  // A store accepts only named tokenizers.
  return asked ?? (own?.tokenizer as TokenizerName | undefined) ?? 'english'
}

/** Collects changes to a collection's documents and applies them to its term statistics. */
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

  /** How many documents the changes add, less how many they remove, with or without texts. */
  get rows(): number {
    return this.#rows
  }

  /** Counts documents that were added, or that replaced others. */
  add(documents: Iterable<TextOfDocument>): void {
    for (const document of documents) {
      this.#rows++
      count(this.#added, document)
    }
  }

  /** Subtracts documents that were removed or replaced, given their old texts. */
  remove(documents: Iterable<TextOfDocument>): void {
    for (const document of documents) {
      this.#rows--
      count(this.#removed, document)
    }
  }

  /** Returns the statistics of the added documents. */
  added(): TermStatistics {
    return this.#added.finish()
  }

  /** Applies the changes; returns undefined if `before` cannot be the statistics before them. */
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

/** Subtracts statistics; returns undefined if `whole` never counted the documents of `part`. */
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
