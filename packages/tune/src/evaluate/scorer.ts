import { KithError } from '@kith/core'
import { range } from '@kith/core/internal'
import { type MeasureKind, measures, parseMeasure } from '@kith/ir/measures'

/** How a ranking is measured; plain data that a worker can be sent. */
export interface ScorerOptions {
  measure: string
  /** From which grade on a document is relevant; 1 where not set. */
  level?: number | undefined
  /** Grades below the level give no gain in nDCG either. */
  strict?: boolean | undefined
}

/** Measures one query's ranking, given as grades. */
export interface Scorer {
  /** How many of the first documents count. */
  depth: number
  /**
   * @param grades The grades of the first `depth` documents, or of all; negative where not judged.
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
    throw new KithError('BAD_SETTING', `measure ${measure} cannot be tuned for, known: ${known}`)
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
