import type { MeasureKind } from './measure.ts'

/** A query's ranking as grades: all that the measures look at. */
export interface GradedRanking {
  /** The grade of each retrieved document, best first; negative where it has none. */
  grades: readonly number[]
  /** Whether the judgements name each retrieved document, if only with a negative grade. */
  judged: readonly boolean[]
  /** The grades of the query's judged documents, retrieved or not, highest first; none negative. */
  ideal: readonly number[]
}

/** Each measure as trec_eval computes it (docs/method.md section 8). */
export const measures: Record<
  MeasureKind,
  (ranking: GradedRanking, level: number, cutoff: number) => number
> = {
  nDCG({ grades, ideal }, _, cutoff) {
    const best = discountedGain(ideal, cutoff)
    return best > 0 ? discountedGain(grades, cutoff) / best : 0
  },

  RR({ grades }, level, cutoff) {
    const first = grades.findIndex((grade) => grade >= level)
    return first >= 0 && first < cutoff ? 1 / (first + 1) : 0
  },

  AP({ grades, ideal }, level, cutoff) {
    let found = 0
    let sum = 0
    grades.slice(0, cutoff).forEach((grade, i) => {
      if (grade >= level) sum += ++found / (i + 1)
    })
    return ratio(sum, relevant(ideal, level))
  },

  R({ grades, ideal }, level, cutoff) {
    return ratio(relevant(grades, level, cutoff), relevant(ideal, level))
  },

  /** Documents that are missing up to the cut-off count as not relevant. */
  P({ grades }, level, cutoff) {
    return ratio(relevant(grades, level, cutoff), cutoff === Infinity ? grades.length : cutoff)
  },

  Success({ grades }, level, cutoff) {
    return relevant(grades, level, cutoff) > 0 ? 1 : 0
  },

  Rprec({ grades, ideal }, level) {
    const wanted = relevant(ideal, level)
    return ratio(relevant(grades, level, wanted), wanted)
  },

  /** For each relevant document, how few of the judged others come before it. */
  Bpref({ grades, ideal }, level) {
    const wanted = relevant(ideal, level)
    const others = Math.min(wanted, ideal.length - wanted)
    let before = 0
    let sum = 0
    for (const grade of grades) {
      if (grade < 0) continue
      if (grade < level) before++
      else sum += before > 0 ? 1 - Math.min(before, wanted) / others : 1
    }
    return ratio(sum, wanted)
  },

  /** Of the documents that there are, as ir_measures has it. */
  Judged({ judged }, _, cutoff) {
    const first = judged.slice(0, cutoff)
    return ratio(first.filter(Boolean).length, first.length)
  },
}

/** The discounted gain of the first documents: grade over log2(rank + 1). */
function discountedGain(grades: readonly number[], cutoff: number): number {
  const end = Math.min(grades.length, cutoff)
  let sum = 0
  for (let i = 0; i < end; i++) if (grades[i]! > 0) sum += grades[i]! / Math.log2(i + 2)
  return sum
}

/** How many of the first documents are relevant. */
function relevant(grades: readonly number[], level: number, cutoff = Infinity): number {
  const end = Math.min(grades.length, cutoff)
  let count = 0
  for (let i = 0; i < end; i++) if (grades[i]! >= level) count++
  return count
}

function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0
}
