import type { VNode } from 'preact'
import type { Analysis } from '../model/analysis.ts'

/** The range that all bars of a list share; 0 lies within. */
export interface BarRange {
  low: number
  high: number
}

/** The range of scores whose parts lie left or right of 0, each side stacked. */
export function barRange({ geometric, jaccard }: Analysis, documents: Iterable<number>): BarRange {
  let [low, high] = [0, 0]
  for (const document of documents) {
    const [a, b] = [geometric[document]!, jaccard[document]!]
    low = Math.min(low, Math.min(a, 0) + Math.min(b, 0))
    high = Math.max(high, Math.max(a, 0) + Math.max(b, 0))
  }
  return { low, high: high > low ? high : low + 1 }
}

/** A score as a bar of two parts; what is below 0 lies left of the line. */
export function ScoreBar(props: { geometric: number; jaccard: number; range: BarRange }): VNode {
  const { geometric, jaccard, range } = props
  const share = (value: number): number => (100 * value) / (range.high - range.low)
  const zero = share(-range.low)
  let [left, right] = [zero, zero]
  const place = (value: number): { left: string; width: string } => {
    const width = Math.abs(share(value))
    if (value < 0) left -= width
    else right += width
    return { left: `${value < 0 ? left : right - width}%`, width: `${width}%` }
  }
  return (
    <span class="score-bar" aria-hidden="true">
      <span class="part geometric" style={place(geometric)} />
      <span class="part jaccard" style={place(jaccard)} />
      <span class="zero" style={{ left: `${zero}%` }} />
    </span>
  )
}
