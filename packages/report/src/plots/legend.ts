import { escaped } from '../html.ts'
import { shortened } from '../shortened.ts'
import type { Look } from './palette.ts'

/** A curve's name, with how the curve looks. */
export interface LegendEntry extends Look {
  name: string
}

const ROW = 20
const SWATCH = 22
const GAP = 18
/** The average width of a letter in system fonts: letters cannot be measured here. */
const LETTER = 6.4

/** The names of curves above a plot, in as many rows as they need. */
export function drawLegend(
  entries: readonly LegendEntry[],
  width: number,
): { source: string; height: number } {
  const longest = Math.floor((width - SWATCH - 4) / LETTER)
  let x = 4
  let row = 0
  const parts = entries.map(({ name, stroke, strokeDasharray }) => {
    const label = shortened(name, longest)
    const space = SWATCH + label.length * LETTER
    if (x > 4 && x + space > width) {
      x = 4
      row++
    }
    const y = row * ROW + ROW / 2
    const dashes = strokeDasharray ? ` stroke-dasharray="${strokeDasharray}"` : ''
    const swatch = `<line x1="${x}" x2="${x + 16}" y1="${y}" y2="${y}" stroke="${stroke}" stroke-width="2.5"${dashes}/>`
    const text = `<text x="${x + SWATCH}" y="${y}" dy="0.32em" text-anchor="start">${escaped(label)}</text>`
    x = Math.round(x + space + GAP)
    return swatch + text
  })
  if (entries.length === 0) return { source: '', height: 0 }
  return { source: `<g aria-label="legend">${parts.join('')}</g>`, height: (row + 1) * ROW + 4 }
}
