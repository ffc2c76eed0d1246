import { useEffect, useState } from 'preact/hooks'

/** The rows that are drawn: from the first up to, but not including, the end. */
export interface VisibleRows {
  from: number
  to: number
}

/** Rows beyond the window's edges that are drawn all the same, and by how many the edges move. */
const [MARGIN, STEP] = [40, 20]

/**
 * Which of `count` equally high rows lie in or near the window. Drawing a thousand rows anew for
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
