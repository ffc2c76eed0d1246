import { KithError } from '@kith/core'
import { type MeasureKind, parseMeasure } from '@kith/ir'

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

type Formula = (grades: Grades, ideal: Grades, level: number, cutoff: number) => number
type Grades = ArrayLike<number>

/** The measures that a ranking is tuned for, as @kith/ir computes them; a trial asks for them far more often. */
const formulas: Partial<Record<MeasureKind, Formula>> = {
  nDCG: (grades, ideal, _, cutoff) => ratio(gain(grades, cutoff), gain(ideal, cutoff)),
  RR(grades, _, level, cutoff) {
    for (let i = 0; i < Math.min(grades.length, cutoff); i++) {
      if (grades[i]! >= level) return 1 / (i + 1)
    }
    return 0
  },
  AP(grades, ideal, level, cutoff) {
    let found = 0
    let sum = 0
    for (let i = 0; i < Math.min(grades.length, cutoff); i++) {
      if (grades[i]! >= level) sum += ++found / (i + 1)
    }
    return ratio(sum, relevant(ideal, level, Infinity))
  },
  R: (grades, ideal, level, cutoff) =>
    ratio(relevant(grades, level, cutoff), relevant(ideal, level, Infinity)),
  P: (grades, _, level, cutoff) =>
    ratio(relevant(grades, level, cutoff), Number.isFinite(cutoff) ? cutoff : grades.length),
  Success: (grades, _, level, cutoff) => Number(relevant(grades, level, cutoff) > 0),
}

/** The scorer of a measure such as `nDCG@10`. */
export function createScorer({ measure, level = 1, strict = false }: ScorerOptions): Scorer {
  const { kind, cutoff = Infinity, level: own = level } = parseMeasure(measure)
  const formula = formulas[kind]
  if (!formula) {
    const known = Object.keys(formulas).join(', ')
    throw new KithError('BAD_SETTING', `measure ${measure} cannot be tuned for, known: ${known}`)
  }
  if (!Number.isInteger(level) || level < 1) {
    throw new KithError('BAD_SETTING', `level is ${level}, allowed: a whole number from 1`)
  }
  const floored = (grades: Grades): Grades =>
    strict ? Array.from(grades, (grade) => (grade > 0 && grade < level ? 0 : grade)) : grades
  return {
    depth: cutoff,
    score: (grades, ideal) => formula(floored(grades), floored(ideal), own, cutoff),
  }
}

/** The discounted gain of the first documents: grade over log2(rank + 1). */
function gain(grades: Grades, cutoff: number): number {
  let sum = 0
  for (let i = 0; i < Math.min(grades.length, cutoff); i++) {
    if (grades[i]! > 0) sum += grades[i]! / Math.log2(i + 2)
  }
  return sum
}

function relevant(grades: Grades, level: number, cutoff: number): number {
  let count = 0
  for (let i = 0; i < Math.min(grades.length, cutoff); i++) if (grades[i]! >= level) count++
  return count
}

function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0
}
