import { prepareText, type Settings, type TermStatistics, TermStatisticsBuilder } from '@kith/core'
import { tokenizerOf } from '@kith/core/internal'
import type { TextEntry } from '@kith/ir'
import { loadLanguages } from '@kith/languages/load'
import { wholeText } from '../whole-text.ts'
import type { SearchStore } from './search-store.ts'
import { type KeptWords, keepWords, keptWords, type MadeWords } from './word-index-file.ts'
import { type Places, placesOf, type WordTerms, wordPlaces } from './word-places.ts'

/** Places of terms that an index has: 400 MB in its file. Larger collections belong into a store. */
const MOST_PLACES = 2 ** 26

/** An inverted index of texts, in memory or in a file: finds the documents whose words fit a query's, by BM25 (docs/method.md section 4). */
export class WordIndex {
  readonly #settings: Pick<Settings, 'tokenizer' | 'k1' | 'b'>
  readonly #builder: TermStatisticsBuilder
  readonly #ids: string[] = []
  /** The terms of each document, until they are sorted. */
  #postings: Uint32Array[] = []
  #count = 0
  #made: MadeWords | undefined
  #kept: KeptWords | undefined
  /** The mean number of terms of a document. */
  #mean: number | undefined

  constructor(settings: Pick<Settings, 'tokenizer' | 'statistics' | 'k1' | 'b'>) {
    this.#settings = { ...settings, tokenizer: tokenizerOf(settings) }
    this.#builder = new TermStatisticsBuilder(this.#settings)
  }

  /** An index that was made before. */
  static of(
    kept: KeptWords,
    settings: Pick<Settings, 'tokenizer' | 'statistics' | 'k1' | 'b'>,
  ): WordIndex {
    const index = new WordIndex(settings)
    index.#kept = kept
    return index
  }

  /** Whether all texts are in it; from the first that does not fit, they are only counted. */
  get complete(): boolean {
    return this.#count <= MOST_PLACES
  }

  /** How often terms occur in all texts. */
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

  /** The index of the texts that were added, complete. */
  finish(): MadeWords {
    this.#made ??= {
      ids: this.#ids,
      statistics: this.#builder.finish(),
      places: wordPlaces(this.#postings),
    }
    return this.#made
  }

  /** Closes the file of an index that was made before. */
  close(): void {
    this.#kept?.close()
  }

  /** The ids of the documents that fit a text best, best first, ties in the order of the documents. */
  search(text: string, top: number): string[] {
    return this.rank(text, top).ids
  }

  /** The documents that fit a text best, with their BM25 scores. */
  rank(text: string, top: number): { ids: string[]; scores: number[] } {
    const { ids, terms, read } = this.#kept ?? inMemory(this.finish())
    const { lengths } = terms
    const scores = new Float64Array(ids.length)
    const mean = this.#meanLength(lengths)
    const { k1, b } = this.#settings
    for (const [term, wanted] of termsOf(prepareText(text, this.#settings).postings)) {
      const [from, to] = placesOf(terms, term)
      const frequency = to - from
      const rarity = Math.log(1 + (ids.length - frequency + 0.5) / (frequency + 0.5))
      const { documents, counts } = read(from, to)
      for (let at = 0; at < frequency; at++) {
        const [document, count] = [documents[at]!, counts[at]!]
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

/** An index in memory, read as one in a file is. */
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

/** The terms of a text by their hashes, and how often it has each. */
function* termsOf(postings: Uint32Array): Generator<[term: number, count: number]> {
  for (let at = 0; at < postings.length; at += 3) {
    yield [postings[at + 1]! * 2 ** 32 + postings[at]!, postings[at + 2]!]
  }
}

/** The places of the highest scores above 0, the highest first; of equal ones the earlier. */
function best(scores: Float64Array, top: number): number[] {
  const found: number[] = []
  for (let place = 0; place < scores.length; place++) {
    const score = scores[place]!
    if (score <= 0 || (found.length === top && score <= scores[found.at(-1)!]!)) continue
    const at = found.findLastIndex((other) => scores[other]! >= score) + 1
    found.splice(at, 0, place)
    if (found.length > top) found.pop()
  }
  return found
}

/** The file of an index, and the name of its texts. */
export interface WordsPlace {
  file: string
  key: string
}

/**
 * A store that also finds documents by their words, and knows its term statistics: all texts are
 * read once, into an index that is kept in a file, or the index of an earlier call is opened. Without
 * a file the index stays in memory. Of a collection that is too large for it, the words are only counted.
 *
 * @param place Where the index is kept; undefined if nothing is.
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
      // A cache that cannot be written costs the next start its time, and memory now.
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
