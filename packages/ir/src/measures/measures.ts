import type { MeasureKind } from './measure.ts'

/** A query's ranking as grades: all that the measures look at. */
export interface GradedRanking {
  /** The grade of each retrieved document, best first; negative where it has none. */
  grades: ArrayLike<number>
  /** Whether the judgments name each retrieved document, if only with a negative grade. */
  judged: readonly boolean[]
  /** The grades of the query's judged documents, retrieved or not, highest first; none negative. */
  ideal: ArrayLike<number>
}

/** Each measure as trec_eval computes it (docs/method.md section 8). */
export const measures: Record<
  MeasureKind,
  (ranking: GradedRanking, level: number, cutoff: number) => number
> = {
  nDCG({ grades, ideal }, _, cutoff) {
    return ndcg(grades, ideal, cutoff)
  },

  RR({ grades }, level, cutoff) {
    const end = Math.min(grades.length, cutoff)
    for (let i = 0; i < end; i++) if (grades[i]! >= level) return 1 / (i + 1)
    return 0
  },

  AP({ grades, ideal }, level, cutoff) {
    let found = 0
    let sum = 0
    const end = Math.min(grades.length, cutoff)
    for (let i = 0; i < end; i++) if (grades[i]! >= level) sum += ++found / (i + 1)
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
    for (let i = 0; i < grades.length; i++) {
      if (grades[i]! < 0) continue
      if (grades[i]! < level) before++
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

/**
 * nDCG as trec_eval has it: the grade as gain, log2(rank + 1) as discount.
 *
 * @param grades Of the ranked documents, best first; negative where nothing was judged.
 * @param ideal The grades of the query's judged documents, highest first.
 */
export function ndcg(grades: ArrayLike<number>, ideal: ArrayLike<number>, cutoff: number): number {
  return ratio(discountedGain(grades, cutoff), discountedGain(ideal, cutoff))
}

/** The discounted gain of the first documents. */
function discountedGain(grades: ArrayLike<number>, cutoff: number): number {
  const end = Math.min(grades.length, cutoff)
  let sum = 0
  for (let i = 0; i < end; i++) if (grades[i]! > 0) sum += grades[i]! / Math.log2(i + 2)
  return sum
}

/** How many of the first documents are relevant. */
function relevant(grades: ArrayLike<number>, level: number, cutoff = Infinity): number {
  const end = Math.min(grades.length, cutoff)
  let count = 0
  for (let i = 0; i < end; i++) if (grades[i]! >= level) count++
  return count
}

function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0
}
