import {
  type Candidates,
  KithError,
  type MethodSettings,
  type Query,
  type TermStatistics,
  type Tokenizer,
} from '@kith/core'
import { range, tokenizerOf } from '@kith/core/internal'
import { type SharedTexts, textAt } from '@kith/ir/internal'
import { type MeasureKind, measures, parseMeasure } from '@kith/ir/measures'

/**
 * The texts of queries and documents, and how often their terms occur in the corpus, if that is
 * known.
 */
export interface TrialTexts {
  queries: SharedTexts
  docs: SharedTexts
  statistics?: TermStatistics | undefined
}

/** A judged query with its candidates. */
export interface TrialQuery {
  id: string
  /** Queries of one group never stand on both sides of a fold; by default each is its own. */
  group?: string | undefined
  /** The query's number among the vectors and texts of the queries. */
  row: number
  /** The candidates that can be reranked, best first, as numbers among `docs`. */
  docs: Uint32Array
  /** Their places in the run, ascending. */
  places: Uint32Array
  /** The grade of every place of the run; negative if there is no judgment. */
  grades: Float64Array
  /** The grades of all judged documents, highest first; none negative. */
  ideal: Float64Array
}

/** Judged queries with all that reranking them takes, on memory that worker threads can share. */
export interface TrialCollection {
  dimensions: number
  list: readonly TrialQuery[]
  /** The vectors, one after the other. */
  queries: Float32Array
  docs: Float32Array
  /**
   * The texts of queries and documents, once for each tokenizer that is tried, the default first.
   */
  texts?: readonly TrialTexts[] | undefined
}

/** A judged query and its candidates as reranking takes them, with texts of this tokenizer if there are any. */
export function viewsOf(
  collection: TrialCollection,
  own: TrialQuery,
  tokenizer: Tokenizer,
): [Query, Candidates] {
  const { dimensions, queries, docs } = collection
  const row = (all: Float32Array, number: number) =>
    all.subarray(number * dimensions, (number + 1) * dimensions)
  const vector = row(queries, own.row)
  const vectors = Array.from(own.docs, (number) => row(docs, number))
  const texts = textsOf(collection, tokenizer)
  if (!texts) return [vector, vectors]
  const asked = { vector, text: textAt(texts.queries, own.row) }
  return [asked, { vectors, texts: Array.from(own.docs, (number) => textAt(texts.docs, number)) }]
}

/** Settings with the corpus's term statistics, if they are known and count. */
export function withStatistics(
  collection: TrialCollection,
  settings: MethodSettings,
): MethodSettings {
  const statistics = textsOf(collection, tokenizerOf(settings))?.statistics
  return statistics && settings.mix === 'words' ? { ...settings, statistics } : settings
}

function textsOf({ texts }: TrialCollection, tokenizer: Tokenizer): TrialTexts | undefined {
  if (!texts) return undefined
  const found = texts.find(({ docs }) => docs.tokenizer === tokenizer)
  if (found) return found
  throw new KithError(
    'BAD_SETTING',
    `texts were prepared with the tokenizers ${texts.map(({ docs }) => docs.tokenizer).join(', ')}, but the settings use ${String(tokenizer)}; prepare them with that tokenizer`,
  )
}

/** How a ranking is measured; plain data that a worker can be sent. */
export interface ScorerOptions {
  measure: string
  /** From which grade on a document is relevant; 1 if not set. */
  level?: number | undefined
  /** Grades below the level give no gain in nDCG either. */
  strict?: boolean | undefined
}

/** Measures one query's ranking, given as grades. */
export interface Scorer {
  /** How many of the first documents count. */
  depth: number
  /**
   * @param grades The grades of the first `depth` documents, or of all; negative if not judged.
   * @param ideal The grades of all judged documents, highest first.
   */
  score(grades: ArrayLike<number>, ideal: ArrayLike<number>): number
}

/** The measures that a ranking is tuned for; the others look at documents beyond the first ones. */
const tunable: readonly MeasureKind[] = ['nDCG', 'RR', 'AP', 'R', 'P', 'Success']

/** Only measures that cannot be tuned for ask which documents were judged. */
const NONE: readonly boolean[] = []

/** The scorer of a measure such as `nDCG@10`. */
export function createScorer({ measure, level = 1, strict = false }: ScorerOptions): Scorer {
  const { kind, cutoff = Infinity, level: own = level } = parseMeasure(measure)
  if (!tunable.includes(kind)) {
    const known = tunable.join(', ')
    throw new KithError(
      'BAD_SETTING',
      `cannot tune for the measure ${measure}; use one of ${known}`,
    )
  }
  range({ from: 1, integer: true })('level', level)
  const formula = measures[kind]
  const floored = (grades: ArrayLike<number>): ArrayLike<number> =>
    strict ? Array.from(grades, (grade) => (grade > 0 && grade < level ? 0 : grade)) : grades
  return {
    depth: cutoff,
    score: (grades, ideal) =>
      formula({ grades: floored(grades), ideal: floored(ideal), judged: NONE }, own, cutoff),
  }
}
