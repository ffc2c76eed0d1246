import type { LabelResult, LabelSummary, MergeResult } from '@kith/pipelines/labels'
import type { Output } from './output.ts'

/** The column in which the figures begin. */
const WIDTH = 36

/** Figures by which a person can judge labels. */
function summaryLines(summary: LabelSummary): string[] {
  const { queries, leftOut } = summary
  const share = (count: number): string => `${((100 * count) / Math.max(1, queries)).toFixed(1)} %`
  const lines = [`queries with labels                 ${queries}`]
  for (const [why, count] of Object.entries(leftOut)) {
    lines.push(`left out: ${why} `.padEnd(WIDTH) + count)
  }
  if (queries === 0) return lines
  const carriers = `${(summary.carriers / queries).toFixed(2)} on average`
  // Labels by a teacher have no ground truth.
  if (summary.groundTruthMass === 0) {
    return [...lines, `documents with 90 % of a label      ${carriers}`]
  }
  return [
    ...lines,
    `mean probability on ground truth    ${(summary.groundTruthMass / queries).toFixed(4)}`,
    `documents with 90 % of a label      ${carriers}`,
    `ground truth not ranked first       ${summary.groundTruthNotHighest} (${share(summary.groundTruthNotHighest)})`,
  ]
}

/** Prints the result of a labeling. */
export function tellLabeled(output: Output, { out, seconds, summary }: LabelResult): void {
  output.result({ out, seconds, ...summary }, [`${out}:`, ...summaryLines(summary)].join('\n'))
}

/** Prints the result of a merge of shares. */
export function tellMerged(output: Output, { out, shares, summary }: MergeResult): void {
  output.result(
    { out, shares, ...summary },
    [`${out}: ${shares} shards`, ...summaryLines(summary)].join('\n'),
  )
}
