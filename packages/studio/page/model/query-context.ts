import {
  type CandidateViews,
  type PartialSettings,
  type PreparedText,
  prepareText,
  type QueryViews,
  type TermStatistics,
  type TermsName,
  termStatisticsFromBytes,
} from '@kith/core'
import { type StudioContext, wordsOf } from '../../src/studio-wire.ts'
import { methodSettings, mixOf, type PageSettings, termsOf, type Use } from './page-settings.ts'
import { source } from './source.ts'

/** The candidates of a query, or some of them, with their vectors as rows. */
type PageCandidates = CandidateViews & { vectors: Float32Array[] }

/** A query's context in the forms that `@kith/core` takes; the words are found once for each kind of terms. */
export class QueryContext {
  readonly source: StudioContext
  /** The collection's, of the terms that the next call takes; undefined where they are not known. */
  statistics: TermStatistics | undefined
  readonly #prepared = new Map<TermsName, PreparedText[]>()

  constructor(source: StudioContext, statistics?: TermStatistics) {
    this.source = source
    this.statistics = statistics
  }

  /** Whether the collection has texts. */
  get texts(): boolean {
    return this.source.documents[0]?.text !== undefined
  }

  /** Everything that a ranking takes: the query, all its candidates and the settings. */
  ranking(page: PageSettings): {
    query: QueryViews
    candidates: CandidateViews
    settings: PartialSettings
    terms: TermsName | undefined
  } {
    const use: Use = { texts: this.texts }
    const terms = termsOf(page, use)
    return {
      query: this.query(terms),
      candidates: this.candidates(terms),
      settings: methodSettings(page, use, this.statistics),
      terms,
    }
  }

  /** The query, with its text where words take part as these terms. */
  query(terms: TermsName | undefined): QueryViews {
    const vector = this.#vector(0)
    return terms ? { vector, text: this.#texts(terms)[0]! } : { vector }
  }

  /** The candidates that were retrieved. */
  candidates(terms: TermsName | undefined): CandidateViews {
    const { retrieved, vectors } = this.source
    const { data, dimensions } = vectors
    const own = { data: data.subarray(dimensions), rows: retrieved, dimensions }
    return terms
      ? { vectors: own, texts: this.#texts(terms).slice(1, retrieved + 1) }
      : { vectors: own }
  }

  /** Some documents as candidates. */
  of(documents: Iterable<number>, terms: TermsName | undefined): PageCandidates {
    const chosen = [...documents]
    const vectors = chosen.map((document) => this.#vector(document + 1))
    if (!terms) return { vectors }
    return { vectors, texts: chosen.map((document) => this.#texts(terms)[document + 1]!) }
  }

  #vector(row: number): Float32Array {
    const { data, dimensions } = this.source.vectors
    return data.subarray(row * dimensions, (row + 1) * dimensions)
  }

  #texts(terms: TermsName): PreparedText[] {
    const { query, documents } = this.source
    const known = this.#prepared.get(terms)
    if (known) return known
    const prepared = [query, ...documents].map((entry) => prepareText(wordsOf(entry), { terms }))
    this.#prepared.set(terms, prepared)
    return prepared
  }
}

const known = new Map<TermsName, Promise<TermStatistics>>()

/** The collection's statistics where settings take them; each kind of terms is fetched once. */
export async function statisticsFor(
  page: PageSettings,
  texts: boolean,
): Promise<TermStatistics | undefined> {
  const { terms, statistics } = page
  if (statistics !== 'collection' || mixOf(page, { texts }) !== 'words' || !texts) return undefined
  const own = known.get(terms) ?? source().statistics(terms).then(termStatisticsFromBytes)
  known.set(terms, own)
  // What failed once may be there the next time.
  own.catch(() => known.delete(terms))
  return own
}
