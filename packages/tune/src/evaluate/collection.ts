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

/** The texts of queries and documents, and the term statistics of the corpus, if they are known. */
export interface TrialTexts {
  queries: SharedTexts
  docs: SharedTexts
  statistics?: TermStatistics | undefined
}

/** A judged query with its candidates. */
export interface TrialQuery {
  id: string
  /** Queries of one group are always in the same fold; by default, each query is its own group. */
  group?: string | undefined
  /** The query's index in the vectors and texts of the queries. */
  row: number
  /** The candidates that can be reranked, best first, as indices in `docs`. */
  docs: Uint32Array
  /** The candidates' places in the run, ascending. */
  places: Uint32Array
  /** The grade at every place of the run; negative if there is no judgment. */
  grades: Float64Array
  /** The grades of all judged documents, highest first; none is negative. */
  ideal: Float64Array
}

/** Judged queries with all inputs for reranking them, in memory that worker threads can share. */
export interface TrialCollection {
  dimensions: number
  list: readonly TrialQuery[]
  /** The vectors, one after the other. */
  queries: Float32Array
  docs: Float32Array
  /** The texts of queries and documents, once per tokenizer to try, the default first. */
  texts?: readonly TrialTexts[] | undefined
}

/**
 * Returns a judged query and its candidates as inputs of a reranking, with texts of a tokenizer if
 * there are any.
 */
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

/** Adds the corpus's term statistics to settings, if they are known and used. */
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

/** How a ranking is evaluated, as plain data that can be sent to a worker. */
export interface ScorerOptions {
  measure: string
  /** The lowest grade of a relevant document. Default: 1. */
  level?: number | undefined
  /** Whether grades below the level also give no gain in nDCG. */
  strict?: boolean | undefined
}

/** Evaluates the ranking of one query, given as grades. */
export interface Scorer {
  /** How many of the top documents count. */
  depth: number
  /**
   * Returns the value of a ranking.
   *
   * @param grades The grades of the first `depth` documents, or of all; negative if not judged.
   * @param ideal The grades of all judged documents, highest first.
   */
  score(grades: ArrayLike<number>, ideal: ArrayLike<number>): number
}

/**
 * The measures that can be tuned for; the other measures depend on documents beyond the top ones.
 */
const tunable: readonly MeasureKind[] = ['nDCG', 'RR', 'AP', 'R', 'P', 'Success']

/** Only measures that cannot be tuned for depend on which documents are judged. */
const NONE: readonly boolean[] = []

/** Creates the scorer of a measure such as `nDCG@10`. */
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
