import { prepareText, type Settings, type TermStatistics, TermStatisticsBuilder } from '@kith/core'
import { tokenizerOf } from '@kith/core/internal'
import type { TextEntry } from '@kith/ir'
import { wholeText } from '../whole-text.ts'
import { loadLanguages } from './load-languages.ts'
import type { SearchStore } from './search-store.ts'

/** Places of terms that an index keeps: about 300 MB. Larger collections belong into a store. */
const MOST_PLACES = 2 ** 24

/** An inverted index of texts in memory: finds the documents whose words fit a query's, by BM25 (docs/method.md section 4). */
export class WordIndex {
  readonly #settings: Pick<Settings, 'tokenizer' | 'k1' | 'b'>
  readonly #statistics: TermStatisticsBuilder
  readonly #ids: string[] = []
  readonly #lengths: number[] = []
  /** By the hash of a term: documents that have it, each followed by how often. */
  readonly #places = new Map<number, number[]>()
  #count = 0
  /** The terms of all documents together. */
  #length = 0

  constructor(settings: Pick<Settings, 'tokenizer' | 'statistics' | 'k1' | 'b'>) {
    this.#settings = { ...settings, tokenizer: tokenizerOf(settings) }
    this.#statistics = new TermStatisticsBuilder(this.#settings)
  }

  /** Whether all texts are in it; from the first that does not fit, they are only counted. */
  get complete(): boolean {
    return this.#count <= MOST_PLACES
  }

  /** How often terms occur in all texts. */
  statistics(): TermStatistics {
    return this.#statistics.finish()
  }

  add(id: string, text: string): void {
    const prepared = prepareText(text, this.#settings)
    this.#statistics.add(prepared)
    this.#count += prepared.postings.length / 3
    if (!this.complete) {
      this.#places.clear()
      return
    }
    const document = this.#ids.push(id) - 1
    let length = 0
    for (const [term, count] of termsOf(prepared.postings)) {
      length += count
      const places = this.#places.get(term)
      if (places) places.push(document, count)
      else this.#places.set(term, [document, count])
    }
    this.#lengths.push(length)
    this.#length += length
  }

  /** The ids of the documents that fit a text best, best first, ties in the order of the documents. */
  search(text: string, top: number): string[] {
    return this.rank(text, top).ids
  }

  /** The documents that fit a text best, with their BM25 scores. */
  rank(text: string, top: number): { ids: string[]; scores: number[] } {
    const documents = this.#ids.length
    const scores = new Float64Array(documents)
    const mean = this.#length / documents || 1
    const { k1, b } = this.#settings
    for (const [term, wanted] of termsOf(prepareText(text, this.#settings).postings)) {
      const places = this.#places.get(term) ?? []
      const frequency = places.length / 2
      const rarity = Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))
      for (let at = 0; at < places.length; at += 2) {
        const [document, count] = [places[at]!, places[at + 1]!]
        const norm = k1 * (1 - b + (b * this.#lengths[document]!) / mean)
        scores[document]! += (wanted * rarity * count * (k1 + 1)) / (count + norm)
      }
    }
    const found = best(scores, top)
    return {
      ids: found.map((document) => this.#ids[document]!),
      scores: found.map((document) => scores[document]!),
    }
  }
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

/**
 * A store that also finds documents by their words, and knows its term statistics: all texts are
 * read once, into an index in memory. Of a collection that is too large for it, the words are only
 * counted.
 */
export async function withWords(
  store: SearchStore,
  texts: Iterable<TextEntry> | AsyncIterable<TextEntry>,
  settings: Settings,
): Promise<SearchStore> {
  await loadLanguages(tokenizerOf(settings))
  const index = new WordIndex(settings)
  for await (const entry of texts) index.add(entry.id, wholeText(entry)!)
  const statistics = index.statistics()
  const counted = { ...store, terms: async () => statistics }
  if (!index.complete) return counted
  return { ...counted, searchWords: async (text, { top }) => index.search(text, top) }
}
