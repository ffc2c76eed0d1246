import type { PartialLabelSettings } from '../src/index.ts'
import type { Matrix } from '../src/matrix.ts'
import { rowSimilarity } from './row-forms.ts'

/**
 * docs/method.md section 6, steps 3 to 7, for `mixed`, written once more from the page: lists
 * of records and sorting instead of typed arrays.
 */
export function mixedLabels(
  context: Matrix,
  groundTruth: { rows: number[]; grades: number[] },
  settings: PartialLabelSettings & { labelDepth: number; boost: number },
): { candidate: number; label: number }[] {
  const { aggregate, normalize, normalizeOver, labelDepth, boost, keepGroundTruth, ...rest } =
    settings
  const { mixed } = rowSimilarity(context, groundTruth.rows, rest)
  const all = Array.from({ length: context.rows - 1 }, (_, candidate) => {
    const parts = groundTruth.rows.map((_, l) => groundTruth.grades[l]! * mixed[l]![candidate + 1]!)
    const sum = parts.reduce((a, b) => a + b, 0)
    const evidence =
      aggregate === 'sum' ? sum : aggregate === 'max' ? Math.max(...parts) : sum / parts.length
    return { candidate, evidence, truth: groundTruth.rows.includes(candidate + 1) }
  })
  const sorted = all.toSorted((a, b) => b.evidence - a.evidence || a.candidate - b.candidate)
  const truth = sorted.filter((c) => c.truth)
  const kept =
    keepGroundTruth === false
      ? sorted.slice(0, labelDepth)
      : [
          ...truth,
          ...sorted.filter((c) => !c.truth).slice(0, Math.max(0, labelDepth - truth.length)),
        ]
  const values = (normalizeOver === 'kept' ? kept : all).map(({ evidence }) => evidence)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const mean = values.reduce((a, b) => a + b, 0) / values.length
  const deviation = Math.sqrt(values.reduce((a, b) => a + (b - mean) ** 2, 0) / values.length)
  const scaled = (value: number): number => {
    if (normalize === 'none') return value
    const constant = high - low <= 1e-6 * Math.max(Math.abs(low), Math.abs(high))
    if (constant || (normalize === 'max' && high <= 0)) return 0
    if (normalize === 'max') return value / high
    return (value - low) / (normalize === 'std' ? deviation : high - low)
  }
  const logits = kept.map((c) => scaled(c.evidence) * (c.truth ? boost : 1))
  const powers = logits.map((logit) => Math.exp(logit - Math.max(...logits)))
  const total = powers.reduce((a, b) => a + b, 0)
  return kept.map(({ candidate }, i) => ({ candidate, label: powers[i]! / total }))
}
