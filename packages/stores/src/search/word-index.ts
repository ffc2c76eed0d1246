import { prepareText, type Settings, type TermStatistics, TermStatisticsBuilder } from '@kith/core'
import { tokenizerOf } from '@kith/core/internal'
import type { TextEntry } from '@kith/ir'
import { loadLanguages } from '@kith/languages/load'
import { wholeText } from '../whole-text.ts'
import type { SearchStore } from './search-store.ts'
import { type KeptWords, keepWords, keptWords, type MadeWords } from './word-index-file.ts'
import { type Places, placesOf, type WordTerms, wordPlaces } from './word-places.ts'

/**
 * Maximum number of postings in an index: 400 MB in its file. Use a store for larger collections.
 */
const MOST_PLACES = 2 ** 26

/**
 * An inverted index of texts, in memory or in a file: finds the documents that match a query's
 * words best by BM25 (docs/method.md section 4).
 */
export class WordIndex {
  readonly #settings: Pick<Settings, 'tokenizer' | 'k1' | 'b'>
  readonly #builder: TermStatisticsBuilder
  readonly #ids: string[] = []
  /** The postings of each document, until they are sorted by term. */
  #postings: Uint32Array[] = []
  #count = 0
  #made: MadeWords | undefined
  #kept: KeptWords | undefined
  /** The mean number of terms per document. */
  #mean: number | undefined
  /** Memory of all searches: new memory for each would make the garbage collector run often. */
  #scores = new Float64Array(0)

  constructor(settings: Pick<Settings, 'tokenizer' | 'statistics' | 'k1' | 'b'>) {
    this.#settings = { ...settings, tokenizer: tokenizerOf(settings) }
    this.#builder = new TermStatisticsBuilder(this.#settings)
  }

  /** Wraps an index that was saved earlier. */
  static of(
    kept: KeptWords,
    settings: Pick<Settings, 'tokenizer' | 'statistics' | 'k1' | 'b'>,
  ): WordIndex {
    const index = new WordIndex(settings)
    index.#kept = kept
    return index
  }

  /**
   * Whether the index has all texts; from the first text that does not fit, terms are only counted.
   */
  get complete(): boolean {
    return this.#count <= MOST_PLACES
  }

  /** Returns the term statistics of all texts. */
  statistics(): TermStatistics {
    return (this.#kept ?? this.#made)?.statistics ?? this.#builder.finish()
  }

  add(id: string, text: string): void {
    const prepared = prepareText(text, this.#settings)
    this.#builder.add(prepared)
    this.#count += prepared.postings.length / 3
    this.#made = undefined
    this.#mean = undefined
    if (!this.complete) {
      this.#postings = []
      return
    }
    this.#ids.push(id)
    this.#postings.push(prepared.postings)
  }

  /** Completes the index of the added texts. */
  finish(): MadeWords {
    this.#made ??= {
      ids: this.#ids,
      statistics: this.#builder.finish(),
      places: wordPlaces(this.#postings),
    }
    return this.#made
  }

  /** Closes the file of a saved index. */
  close(): void {
    this.#kept?.close()
  }

  /** Finds the ids of the documents that match a text best, best first, ties in document order. */
  search(text: string, top: number): string[] {
    return this.rank(text, top).ids
  }

  /** Finds the documents that match a text best, with their BM25 scores. */
  rank(text: string, top: number): { ids: string[]; scores: number[] } {
    const { ids, terms, read } = this.#kept ?? inMemory(this.finish())
    const { lengths } = terms
    if (this.#scores.length !== ids.length) this.#scores = new Float64Array(ids.length)
    const scores = this.#scores.fill(0)
    const mean = this.#meanLength(lengths)
    const { k1, b } = this.#settings
    for (const [term, wanted] of termsOf(prepareText(text, this.#settings).postings)) {
      const [from, to] = placesOf(terms, term)
      const frequency = to - from
      const rarity = Math.log(1 + (ids.length - frequency + 0.5) / (frequency + 0.5))
      const { documents, counts } = read(from, to)
      for (let at = 0; at < frequency; at++) {
        const document = documents[at]!
        const count = counts[at]!
        const norm = k1 * (1 - b + (b * lengths[document]!) / mean)
        scores[document]! += (wanted * rarity * count * (k1 + 1)) / (count + norm)
      }
    }
    const found = best(scores, top)
    return {
      ids: found.map((document) => ids[document]!),
      scores: found.map((document) => scores[document]!),
    }
  }

  #meanLength(lengths: Uint32Array): number {
    this.#mean ??= lengths.reduce((sum, length) => sum + length, 0) / lengths.length || 1
    return this.#mean
  }
}

/** Gives an index in memory the interface of an index in a file. */
function inMemory({ ids, places }: MadeWords): {
  ids: readonly string[]
  terms: WordTerms
  read(from: number, to: number): Places
} {
  const read = (from: number, to: number): Places => ({
    documents: places.documents.subarray(from, to),
    counts: places.counts.subarray(from, to),
  })
  return { ids, terms: places, read }
}

/** Yields the terms of a text by hash, each with its count. */
function* termsOf(postings: Uint32Array): Generator<[term: number, count: number]> {
  for (let at = 0; at < postings.length; at += 3) {
    yield [postings[at + 1]! * 2 ** 32 + postings[at]!, postings[at + 2]!]
  }
}

/**
 * Returns the positions of the highest scores above 0, highest first, ties by ascending position.
 */
function best(scores: Float64Array, top: number): number[] {
  const found: number[] = []
  let least = 0
  for (let place = 0; place < scores.length; place++) {
    if (scores[place]! > least) least = insert(place, found, scores, top)
  }
  return found
}

/** Inserts a position, and returns the score that the next position must exceed. */
function insert(place: number, found: number[], scores: Float64Array, top: number): number {
  const score = scores[place]!
  const at = found.findLastIndex((other) => scores[other]! >= score) + 1
  found.splice(at, 0, place)
  if (found.length > top) found.pop()
  return found.length < top ? 0 : scores[found.at(-1)!]!
}

/** The file of an index, and the key of its texts. */
export interface WordsPlace {
  file: string
  key: string
}

/**
 * Adds full-text search and term statistics to a store: reads all texts once, into an index that is
 * saved in a file, or opens the index of an earlier call. Without a file the index stays in memory.
 * If the collection is too large for an index, its terms are only counted.
 *
 * @param place Where to save the index; undefined to save nothing.
 */
export async function withWords(
  store: SearchStore,
  texts: Iterable<TextEntry> | AsyncIterable<TextEntry>,
  settings: Settings,
  place?: WordsPlace,
): Promise<SearchStore> {
  await loadLanguages(tokenizerOf(settings))
  const opened = async () => {
    const kept = place && (await keptWords(place.file, place.key))
    return kept && WordIndex.of(kept, settings)
  }
  let index = await opened()
  if (!index) {
    const made = new WordIndex(settings)
    for await (const entry of texts) made.add(entry.id, wholeText(entry)!)
    if (place && made.complete) {
      // If the cache cannot be written, the index stays in memory and is built again at the next
      // start.
      await keepWords(place.file, place.key, made.finish()).catch(() => {})
    }
    index = (made.complete ? await opened() : undefined) ?? made
  }
  const found = index
  const statistics = found.statistics()
  const counted = { ...store, terms: async () => statistics }
  if (!found.complete) return counted
  return {
    ...counted,
    searchWords: async (text, { top }) => found.search(text, top),
    async close() {
      found.close()
      await store.close()
    },
  }
}
