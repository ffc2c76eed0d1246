import type { LabeledQuery } from './labels.ts'

/** The documents of a training row, with their labels; a document without a label has 0. */
export type LabelRow = Omit<LabeledQuery, 'evidence'>

/** Why a query's labels make no training row. */
export type NoRow = 'no positive document' | 'too few negatives'

/**
 * Makes a training row: the ground truth that has a label, and a number of negatives, none of which
 * is ground truth. Up to half of the negatives are the other documents with the highest labels, so
 * that soft labels are learned from; the rest has the least evidence of all.
 *
 * @param low Candidates with little evidence and outside the ground truth, by descending evidence.
 */
export function labelRow(
  { query, docs, labels, groundTruth }: LabeledQuery,
  low: readonly string[],
  negatives: number,
): LabelRow | NoRow {
  const [known, least] = [new Set(groundTruth), new Set(low)]
  if (!docs.some((id) => known.has(id))) return 'no positive document'
  const soft = docs
    .filter((id) => !known.has(id) && !least.has(id))
    .slice(0, Math.floor(negatives / 2))
  const wanted = negatives - soft.length
  if (low.length < wanted) return 'too few negatives'
  const kept = new Set(soft)
  const labelOf = new Map(docs.map((id, i) => [id, labels[i]!]))
  const row = [
    ...docs.filter((id) => known.has(id) || kept.has(id)),
    ...low.slice(low.length - wanted),
  ]
  return { query, docs: row, labels: row.map((id) => labelOf.get(id) ?? 0), groundTruth }
}
