import type { TrainingQuery } from '@kith/train'

/** The policies for labeled documents that are not among a query's candidates. */
export const outsidePolicies = ['drop', 'inject'] as const

/**
 * `drop` leaves labeled documents out that are not among a query's candidates, and queries that
 * have no others; `inject` puts them into the candidates.
 */
export type OutsidePolicy = (typeof outsidePolicies)[number]

/** Labels that are not among a query's candidates. */
interface OutsideLabels {
  /** All labeled documents, those of them outside, and queries that have no others. */
  labels: number
  outside: number
  queries: number
  /** The length of the longest list that was searched: the list size, or less where the run is shorter. */
  candidates: number
}

/** Counts the labeled documents that are not among the first candidates, and applies the policy. */
export function treatOutside(
  queries: readonly TrainingQuery[],
  policy: OutsidePolicy,
  listSize: number,
): { queries: TrainingQuery[]; counts: OutsideLabels } {
  const counts = { labels: 0, outside: 0, queries: 0, candidates: 0 }
  const kept: TrainingQuery[] = []
  for (const query of queries) {
    const list = new Set(Array.from(query.retrieved).slice(0, listSize))
    const labeled = labeledRows(query)
    const outside = labeled.filter((row) => !list.has(row)).length
    counts.candidates = Math.max(counts.candidates, list.size)
    counts.labels += labeled.length
    counts.outside += outside
    if (outside === labeled.length) counts.queries++
    if (policy === 'inject' || outside === 0) kept.push(query)
    else if (outside < labeled.length) kept.push(insideOf(query, list))
  }
  return { queries: kept, counts }
}

/** The remark on labels outside the candidates; undefined where they are too few to matter. */
export function outsideRemark(
  { labels, outside, queries, candidates }: OutsideLabels,
  policy: OutsidePolicy,
): string | undefined {
  if (outside === 0) return undefined
  const share = Math.round((100 * outside) / labels)
  const where = `${outside} of ${labels} labeled documents (${share} %) are not among their query’s first ${candidates} candidates`
  if (policy === 'drop') {
    const lost = queries > 0 ? `, and ${queries} queries that have no others` : ''
    return `${where}: they are left out${lost} (outside: 'inject' puts them in)`
  }
  if (outside < 0.1 * labels) return undefined
  return `${where} and are put in: that teaches to move away from what the model knows (outside: 'drop' leaves them out)`
}

/** The documents that a query learns from. */
function labeledRows({ relevant, labels }: TrainingQuery): readonly number[] {
  return labels ? labels.rows.filter((_, i) => labels.values[i]! > 0) : relevant
}

/** A query with those of its relevant and labeled documents that are in a list. */
function insideOf(query: TrainingQuery, list: ReadonlySet<number>): TrainingQuery {
  const { relevant, grades, labels } = query
  const at = relevant.flatMap((row, i) => (list.has(row) ? [i] : []))
  const labeledAt = labels?.rows.flatMap((row, i) => (list.has(row) ? [i] : []))
  return {
    ...query,
    relevant: at.map((i) => relevant[i]!),
    grades: grades && at.map((i) => grades[i]!),
    labels: labels && {
      rows: labeledAt!.map((i) => labels.rows[i]!),
      values: labeledAt!.map((i) => labels.values[i]!),
    },
  }
}
