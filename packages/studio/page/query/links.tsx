import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Analysis } from '../model/analysis.ts'

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

/** The rows that are drawn: from the first up to, but not including, the end. */
export interface VisibleRows {
  from: number
  to: number
}

/** Rows beyond the window's edges that are drawn all the same, and by how many the edges move. */
const [MARGIN, STEP] = [40, 20]

/**
 * Which of `count` equally high rows lie in or near the window. Drawing a thousand rows again for
 * each move of a slider would be seen; these are never more than a hundred or two.
 */
export function useVisibleRows(
  root: { current: HTMLElement | null },
  selector: string,
  count: number,
): VisibleRows {
  const [rows, setRows] = useState<VisibleRows>({ from: 0, to: MARGIN })
  useEffect(() => {
    const find = (): void => {
      const { top, height } = root.current!.querySelector(selector)!.getBoundingClientRect()
      const row = Math.max(1, height / count)
      const from = Math.floor((-top / row - MARGIN) / STEP) * STEP
      const to = Math.ceil(((innerHeight - top) / row + MARGIN) / STEP) * STEP
      setRows((before) => (before.from === from && before.to === to ? before : { from, to }))
    }
    find()
    addEventListener('scroll', find, { passive: true })
    addEventListener('resize', find)
    return () => {
      removeEventListener('scroll', find)
      removeEventListener('resize', find)
    }
  }, [root, selector, count])
  return {
    from: Math.min(count, Math.max(0, rows.from)),
    to: Math.min(count, Math.max(0, rows.to)),
  }
}
