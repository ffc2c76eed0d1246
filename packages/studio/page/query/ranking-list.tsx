import type { ScoreParts } from '@kith/core'
import type { VNode } from 'preact'
import type { StudioDocument } from '../../src/studio-wire.ts'
import type { Analysis, PartName } from '../model/analysis.ts'
import { moveFocus } from '../parts/controls.tsx'
import { decimal, inOneLine } from '../parts/document-text.tsx'
import type { VisibleRows } from './links.tsx'

interface RankingListProps {
  title: string
  when: 'before' | 'after'
  documents: readonly StudioDocument[]
  analysis: Analysis
  /** How many places are shown, and which of them are near the window. */
  shown: number
  rows: VisibleRows
  level: number
  selected: number | undefined
  onSelect: (document: number | undefined) => void
}

/** One of the two rankings, a document per line. Arrow keys move from line to line. */
export function RankingList(props: RankingListProps): VNode {
  const { title, when, documents, analysis, shown, rows, level, selected, onSelect } = props
  const ranked = when === 'before' ? Array(shown).keys() : analysis.order.subarray(0, shown)
  const order = [...ranked]
  const range = barRange(analysis, order)
  return (
    <div class={`ranking ${when}`}>
      <h2>{title}</h2>
      <ol
        onKeyDown={moveFocus}
        style={{
          height: `calc(var(--row) * ${shown})`,
          paddingTop: `calc(var(--row) * ${rows.from})`,
        }}
      >
        {order.slice(rows.from, rows.to).map((document, i) => {
          const entry = documents[document]!
          const place = rows.from + i
          const moved = document - analysis.places[document]!
          return (
            <li
              key={document}
              class={when === 'after' ? cutoffClass(analysis, place) : undefined}
              aria-setsize={shown}
              aria-posinset={place + 1}
            >
              <button
                type="button"
                data-document={document}
                aria-pressed={document === selected}
                title={inOneLine(entry)}
                onClick={() => onSelect(document === selected ? undefined : document)}
              >
                <span class="rank">{place + 1}</span>
                {when === 'after' && <Move by={moved} />}
                <Mark grade={entry.grade} level={level} />
                <span class="text">{inOneLine(entry)}</span>
                {when === 'before' ? (
                  <span class="number">{decimal(entry.score!)}</span>
                ) : (
                  <>
                    <ScoreBar
                      parts={analysis.parts.get(document)!}
                      shown={analysis.shown}
                      range={range}
                    />
                    <span class="number">{decimal(analysis.scores[document]!, 2)}</span>
                  </>
                )}
              </button>
            </li>
          )
        })}
      </ol>
    </div>
  )
}

/** Hits below the cutoff are gray, and a line lies above the first of them. */
function cutoffClass({ estimate }: Analysis, place: number): string | undefined {
  if (!estimate || place < estimate.kept) return undefined
  return place === estimate.kept ? 'below-cutoff first' : 'below-cutoff'
}

/** How many places a document went up or down. */
function Move({ by }: { by: number }): VNode {
  if (by === 0) return <span class="move same">=</span>
  return (
    <span class={`move ${by > 0 ? 'gain' : 'loss'}`}>
      <span aria-hidden="true">{by > 0 ? '▲' : '▼'}</span>
      <span class="visually-hidden">{by > 0 ? 'up' : 'down'}</span> {Math.abs(by)}
    </span>
  )
}

/** Whether a document was judged, and how. */
export function Mark({ grade, level }: { grade: number | undefined; level: number }): VNode {
  if (grade === undefined || grade < 0) return <span class="mark" />
  const kind = grade >= level ? 'relevant' : 'rejected'
  return (
    <span class={`mark ${kind}`}>
      <span class="visually-hidden">{kind === 'relevant' ? 'relevant' : 'not relevant'}</span>
    </span>
  )
}

/** The range that all bars of a list share; 0 lies within. */
interface BarRange {
  low: number
  high: number
}

/** The name of each part of a score. */
export const partTitles: Record<PartName, string> = {
  similarity: 'similarity',
  words: 'BM25',
  neighbors: 'neighbors',
  support: 'support',
  window: 'window',
  title: 'title',
  prior: 'prior',
}

/** The range of scores whose parts lie left or right of 0, each side stacked. */
function barRange({ parts, shown }: Analysis, documents: Iterable<number>): BarRange {
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

/** A score as a bar of its parts; negative parts lie left of the line. */
function ScoreBar(props: {
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
