import {
  type Background,
  type CandidateViews,
  type PartialSettings,
  type PreparedText,
  prepareText,
  type QueryViews,
  type TermStatistics,
  type TokenizerName,
  termStatisticsFromBytes,
} from '@kith/core'
import { type StudioContext, wordsOf } from '../../src/studio-wire.ts'
import { methodSettings, mixOf, type PageSettings, tokenizerOf, type Use } from './page-settings.ts'
import { source } from './source.ts'

/** The candidates of a query, or some of them, with their vectors as rows. */
type PageCandidates = CandidateViews & { vectors: Float32Array[] }

/** A query's context in the forms that `@kith/core` takes; the words are found once for each kind of terms. */
export class QueryContext {
  readonly source: StudioContext
  /**
   * The term statistics of the corpus, by the tokenizer of the next call; undefined if they are not
   * known.
   */
  statistics: TermStatistics | undefined
  /** The background of the corpus; undefined if there is none. */
  background: Background | undefined
  readonly #prepared = new Map<TokenizerName, PreparedText[]>()

  constructor(source: StudioContext, statistics?: TermStatistics) {
    this.source = source
    this.statistics = statistics
  }

  /** Whether the dataset has texts. */
  get texts(): boolean {
    return this.source.documents[0]?.text !== undefined
  }

  /** Everything that a ranking takes: the query, all its candidates and the settings. */
  ranking(page: PageSettings): {
    query: QueryViews
    candidates: CandidateViews
    settings: PartialSettings
    tokenizer: TokenizerName | undefined
  } {
    const use: Use = { texts: this.texts }
    const tokenizer = tokenizerOf(page, use)
    return {
      query: this.query(tokenizer),
      candidates: this.candidates(tokenizer),
      settings: methodSettings(page, use, this.statistics),
      tokenizer,
    }
  }

  /** The query, with its text if words take part as these terms. */
  query(tokenizer: TokenizerName | undefined): QueryViews {
    const vector = this.#vector(0)
    return tokenizer ? { vector, text: this.#texts(tokenizer)[0]! } : { vector }
  }

  /** The candidates that were retrieved. */
  candidates(tokenizer: TokenizerName | undefined): CandidateViews {
    const { retrieved, vectors } = this.source
    const { data, dimensions } = vectors
    const own = { data: data.subarray(dimensions), rows: retrieved, dimensions }
    return tokenizer
      ? { vectors: own, texts: this.#texts(tokenizer).slice(1, retrieved + 1) }
      : { vectors: own }
  }

  /** Some documents as candidates. */
  of(documents: Iterable<number>, tokenizer: TokenizerName | undefined): PageCandidates {
    const chosen = [...documents]
    const vectors = chosen.map((document) => this.#vector(document + 1))
    if (!tokenizer) return { vectors }
    return { vectors, texts: chosen.map((document) => this.#texts(tokenizer)[document + 1]!) }
  }

  #vector(row: number): Float32Array {
    const { data, dimensions } = this.source.vectors
    return data.subarray(row * dimensions, (row + 1) * dimensions)
  }

  #texts(tokenizer: TokenizerName): PreparedText[] {
    const { query, documents } = this.source
    const known = this.#prepared.get(tokenizer)
    if (known) return known
    const prepared = [query, ...documents].map((entry) =>
      prepareText(wordsOf(entry), { tokenizer }),
    )
    this.#prepared.set(tokenizer, prepared)
    return prepared
  }
}

const known = new Map<TokenizerName, Promise<TermStatistics>>()

/** The term statistics of the corpus if settings use them; each tokenizer's are fetched once. */
export async function statisticsFor(
  page: PageSettings,
  texts: boolean,
): Promise<TermStatistics | undefined> {
  const { tokenizer, statistics } = page
  if (statistics !== 'corpus' || mixOf(page, { texts }) !== 'words' || !texts) return undefined
  const own = known.get(tokenizer) ?? source().statistics(tokenizer).then(termStatisticsFromBytes)
  known.set(tokenizer, own)
  // A request that failed once may succeed the next time.
  own.catch(() => known.delete(tokenizer))
  return own
}

let background: Promise<Background | undefined> | undefined

/** The scale on which relevance is estimated, fetched once; undefined if the dataset has none. */
export function collectionBackground(): Promise<Background | undefined> {
  background ??= source().background()
  background.catch(() => {
    background = undefined
  })
  return background
}
