import type { VNode } from 'preact'
import type { Analysis } from '../model/analysis.ts'
import type { VisibleRows } from './use-visible-rows.ts'

/** The lines between the two lists: one unit high per place, as wide as there is room. */
export function Links(props: { analysis: Analysis; shown: number; rows: VisibleRows }): VNode {
  const { analysis, shown, rows } = props
  const lines: VNode[] = []
  analysis.places.forEach((after, before) => {
    if (before >= shown && after >= shown) return
    // Neither end is near the window; what passes through it from end to end is left out too.
    if (!isIn(rows, before) && !isIn(rows, after)) return
    // A line from or to a place that is not shown ends at the edge.
    const [from, to] = [Math.min(before, shown), Math.min(after, shown)]
    const tone = after < before ? 'gain' : after > before ? 'loss' : 'same'
    lines.push(
      <path
        key={before}
        data-document={before}
        class={tone}
        d={`M0 ${from + 0.5}C50 ${from + 0.5} 50 ${to + 0.5} 100 ${to + 0.5}`}
      />,
    )
  })
  return (
    <svg
      class="links"
      viewBox={`0 0 100 ${shown}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      style={{ height: `calc(var(--row) * ${shown})` }}
    >
      {lines}
    </svg>
  )
}

function isIn({ from, to }: VisibleRows, place: number): boolean {
  return place >= from && place < to
}
