import type { ScoreParts } from '@kith/core'
import type { VNode } from 'preact'
import type { Analysis, PartName } from '../model/analysis.ts'

/** The range that all bars of a list share; 0 lies within. */
export interface BarRange {
  low: number
  high: number
}

/** What each part of a score is called. */
export const partTitles: Record<PartName, string> = {
  similarity: 'similarity',
  words: 'words',
  neighbors: 'neighbors',
  support: 'support',
}

/** The range of scores whose parts lie left or right of 0, each side stacked. */
export function barRange({ parts, shown }: Analysis, documents: Iterable<number>): BarRange {
  let [low, high] = [0, 0]
  for (const document of documents) {
    const own = parts.get(document)
    if (!own) continue
    const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)
    low = Math.min(low, sum(shown.map((name) => Math.min(own[name], 0))))
    high = Math.max(high, sum(shown.map((name) => Math.max(own[name], 0))))
  }
  return { low, high: high > low ? high : low + 1 }
}

/** A score as a bar of its parts; what is below 0 lies left of the line. */
export function ScoreBar(props: {
  parts: ScoreParts
  shown: readonly PartName[]
  range: BarRange
}): VNode {
  const { parts, shown, range } = props
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
      {shown.map((name) => (
        <span key={name} class={`part ${name}`} style={place(parts[name])} />
      ))}
      <span class="zero" style={{ left: `${zero}%` }} />
    </span>
  )
}
