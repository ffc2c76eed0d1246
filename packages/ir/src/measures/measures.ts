import { KithError } from '@kith/core'

/** A query's ranking as grades, the only input of the measures. */
export interface GradedRanking {
  /** The grade of each retrieved document, best first; negative if it has none. */
  grades: ArrayLike<number>
  /** Whether each retrieved document is in the judgments, even if its grade is negative. */
  judged: readonly boolean[]
  /**
   * The grades of the query's judged documents, retrieved or not, highest first; none is negative.
   */
  ideal: ArrayLike<number>
}

/**
 * Each measure as trec_eval computes it (docs/method.md section 8).
 *
 * ```ts
 * measures.RR({ grades: [0, 1], judged: [true, true], ideal: [1] }, 1, 10) // 0.5
 * ```
 */
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

  /** Computes precision; documents that are missing up to the cutoff count as not relevant. */
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

  /**
   * Computes bpref: the fewer judged non-relevant documents come before the relevant ones, the
   * higher.
   */
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

  /** Computes the share of judged documents among the retrieved documents, as in ir_measures. */
  Judged({ judged }, _, cutoff) {
    const first = judged.slice(0, cutoff)
    return ratio(first.filter(Boolean).length, first.length)
  },
}

/**
 * Computes nDCG as trec_eval does: the grade as gain, log2(rank + 1) as discount.
 *
 * ```ts
 * ndcg([1, 0, 1], [1, 1], 10) // 0.92
 * ```
 *
 * @param grades The grades of the ranked documents, best first; negative if not judged.
 * @param ideal The grades of the query's judged documents, highest first.
 */
export function ndcg(grades: ArrayLike<number>, ideal: ArrayLike<number>, cutoff: number): number {
  return ratio(discountedGain(grades, cutoff), discountedGain(ideal, cutoff))
}

/** Computes the discounted gain of the top documents. */
function discountedGain(grades: ArrayLike<number>, cutoff: number): number {
  const end = Math.min(grades.length, cutoff)
  let sum = 0
  for (let i = 0; i < end; i++) if (grades[i]! > 0) sum += grades[i]! / Math.log2(i + 2)
  return sum
}

/** Counts the relevant documents among the top documents. */
function relevant(grades: ArrayLike<number>, level: number, cutoff = Infinity): number {
  const end = Math.min(grades.length, cutoff)
  let count = 0
  for (let i = 0; i < end; i++) if (grades[i]! >= level) count++
  return count
}

function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0
}

/** The measures, by the names of ir_measures. */
export type MeasureKind =
  | 'nDCG'
  | 'RR'
  | 'AP'
  | 'R'
  | 'P'
  | 'Success'
  | 'Rprec'
  | 'Bpref'
  | 'Judged'

/** A measure with its cutoff and relevance level. */
export interface Measure {
  /** The name as the caller wrote it. */
  name: string
  kind: MeasureKind
  /** How many of the top documents count; undefined for all. */
  cutoff: number | undefined
  /** The lowest grade of a relevant document; undefined for the level of the evaluation. */
  level: number | undefined
}

/**
 * Measures by name in lower case: the names of ir_measures, common names, and the names of
 * trec_eval.
 */
const kinds: Record<string, MeasureKind> = {
  ndcg: 'nDCG',
  ndcg_cut: 'nDCG',
  rr: 'RR',
  mrr: 'RR',
  recip_rank: 'RR',
  ap: 'AP',
  map: 'AP',
  map_cut: 'AP',
  r: 'R',
  recall: 'R',
  p: 'P',
  precision: 'P',
  success: 'Success',
  rprec: 'Rprec',
  bpref: 'Bpref',
  judged: 'Judged',
}

const withoutCutoff: readonly MeasureKind[] = ['Rprec', 'Bpref']
const withoutLevel: readonly MeasureKind[] = ['nDCG', 'Judged']

/**
 * Parses the name of a measure, such as `nDCG@10`, `MRR@10`, `P(rel=2)@10`, `Rprec`, or trec_eval's
 * `ndcg_cut_10`. Case does not matter.
 *
 * ```ts
 * parseMeasure('nDCG@10').cutoff // 10
 * ```
 */
export function parseMeasure(name: string): Measure {
  const match = /^([a-z_]+?)(?:\(\s*rel\s*=\s*(\d+)\s*\))?(?:[@_](\d+))?$/i.exec(name.trim())
  const kind = match ? kinds[match[1]!.toLowerCase()] : undefined
  if (!match || !kind) {
    const known = [...new Set(Object.values(kinds))].join(', ')
    throw bad(name, `unknown; use one of ${known}, such as nDCG@10 or P(rel=2)@10`)
  }
  const level = match[2] === undefined ? undefined : Number(match[2])
  const cutoff = match[3] === undefined ? undefined : Number(match[3])
  if (cutoff === 0 || level === 0) throw bad(name, 'cutoff and level must be at least 1')
  if (cutoff !== undefined && withoutCutoff.includes(kind)) throw bad(name, `${kind} has no cutoff`)
  if (level !== undefined && withoutLevel.includes(kind)) {
    throw bad(name, `${kind} has no level`)
  }
  return { name, kind, cutoff, level }
}

function bad(name: string, problem: string): KithError {
  return new KithError('BAD_SETTING', `measure ${JSON.stringify(name)}: ${problem}`)
}

/**
 * Formats a value as trec_eval prints it. C rounds an exact middle to the even digit, 0.03125 to
 * 0.0312, while `toFixed` rounds it up.
 */
export function formatFigure(value: number, digits = 4): string {
  const longer = value.toFixed(digits + 1)
  // Only a number with few binary places can be exactly in the middle.
  const middle = longer.endsWith('5') && Number.isInteger(value * 2 ** (digits + 1))
  if (!middle) return value.toFixed(digits)
  const shorter = longer.slice(0, -1)
  const even = Number(shorter.at(-1) === '.' ? shorter.at(-2) : shorter.at(-1)) % 2 === 0
  return even ? shorter.replace(/\.$/, '') : value.toFixed(digits)
}
