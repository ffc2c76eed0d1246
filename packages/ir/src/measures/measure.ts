import { KithError } from '@kith/core'

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

/** A measure with its cut-off and relevance level. */
export interface Measure {
  /** As it was written. */
  name: string
  kind: MeasureKind
  /** How many of the first documents count; undefined: all. */
  cutoff: number | undefined
  /** From which grade on a document is relevant; undefined: the level of the evaluation. */
  level: number | undefined
}

/** Names in small letters: ir_measures' own, the usual ones, and trec_eval's. */
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
 * Parses the name of a measure, such as `nDCG@10`, `MRR@10`, `P(rel=2)@10`, `Rprec`, or
 * trec_eval's `ndcg_cut_10`. Capital and small letters are the same.
 */
export function parseMeasure(name: string): Measure {
  const match = /^([a-z_]+?)(?:\(\s*rel\s*=\s*(\d+)\s*\))?(?:[@_](\d+))?$/i.exec(name.trim())
  const kind = match ? kinds[match[1]!.toLowerCase()] : undefined
  if (!match || !kind) {
    const known = [...new Set(Object.values(kinds))].join(', ')
    throw bad(name, `known: ${known}, each as nDCG@10 or P(rel=2)@10`)
  }
  const level = match[2] === undefined ? undefined : Number(match[2])
  const cutoff = match[3] === undefined ? undefined : Number(match[3])
  if (cutoff === 0 || level === 0) throw bad(name, 'cut-off and level must be at least 1')
  if (cutoff !== undefined && withoutCutoff.includes(kind))
    throw bad(name, `${kind} has no cut-off`)
  if (level !== undefined && withoutLevel.includes(kind)) {
    throw bad(name, `${kind} takes no level`)
  }
  return { name, kind, cutoff, level }
}

function bad(name: string, problem: string): KithError {
  return new KithError('BAD_SETTING', `measure ${JSON.stringify(name)}: ${problem}`)
}
