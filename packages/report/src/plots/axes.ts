import type { ScaleOptions } from '@observablehq/plot'
import { escaped, shortened } from '../html.ts'

/** Returns a logarithmic axis, with round ticks if there are not too many. */
export function logAxis(values: readonly number[], label: string, most = 8): ScaleOptions {
  const lowest = values.reduce((a, b) => Math.min(a, b))
  const highest = values.reduce((a, b) => Math.max(a, b))
  const ticks = (steps: readonly number[]): number[] => {
    const found: number[] = []
    for (let power = Math.floor(Math.log10(lowest)); power <= Math.log10(highest); power++) {
      for (const step of steps) {
        const tick = Number(`${step}e${power}`)
        if (tick >= lowest && tick <= highest) found.push(tick)
      }
    }
    return found
  }
  const fine = ticks([1, 2, 5])
  const coarse = ticks([1])
  // A single power of ten would not show the scale of the axis.
  const chosen = fine.length <= most || coarse.length < 2 ? fine : coarse
  // Plot's own logarithmic scale omits the labels of some ticks, whatever its options.
  return {
    label,
    transform: Math.log10,
    ticks: chosen.map(Math.log10),
    tickFormat: (power: number) => String(Number((10 ** power).toPrecision(3))),
  }
}

/** Truncates the name of an axis, so that it is not longer than the narrowest plot. */
export function axisLabel(name: string): string {
  return shortened(name, 48)
}

/**
 * Returns a vertical axis with faint grid lines.
 *
 * @param values The values on the axis. If all are equal, the axis gets room on both sides:
 * otherwise the value would be the only tick, with all of its digits.
 */
export function measureAxis(label: string, values: readonly number[] = []): ScaleOptions {
  const [first = 0] = values
  const flat = values.length > 0 && values.every((value) => value === first)
  return {
    label: axisLabel(label),
    grid: true,
    nice: true,
    ticks: 5,
    ...(flat ? { domain: [first - 0.01, first + 0.01] } : {}),
  }
}

/** A curve's name and look. */
export interface LegendEntry extends Look {
  name: string
}

const ROW = 20
const SWATCH = 22
const GAP = 18
/** The average width of a letter in system fonts, in pixels: letters cannot be measured here. */
const LETTER = 6.4

/** Draws the names of curves above a plot, in as many rows as needed. */
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

/** A color for light pages and one for dark pages. */
export interface Color {
  light: string
  dark: string
}

/**
 * Every color of the report and its plots; in CSS, each color is the custom property `--<name>`.
 */
export const palette = {
  ground: { light: '#fdfdfb', dark: '#14171a' },
  raised: { light: '#f5f5f1', dark: '#1c2024' },
  ink: { light: '#1d2125', dark: '#e6e4de' },
  soft: { light: '#5f6871', dark: '#9aa3ab' },
  line: { light: '#dfdfd9', dark: '#333a40' },
  gain: { light: '#1b6c88', dark: '#6cc1dc' },
  loss: { light: '#b4471f', dark: '#f29b74' },
  violet: { light: '#7553a3', dark: '#b99ae6' },
  olive: { light: '#66741a', dark: '#b9c763' },
  rose: { light: '#a83567', dark: '#ec8fb6' },
  sand: { light: '#8a6a1d', dark: '#d9b766' },
} as const satisfies Record<string, Color>

/** The name of a color. */
type ColorName = keyof typeof palette

/** Returns a reference to a color; the page, or a standalone file, defines its value. */
export function color(name: ColorName): string {
  return `var(--${name})`
}

const series: readonly ColorName[] = ['gain', 'loss', 'violet', 'olive', 'rose', 'sand']

/** The look of a curve. */
export interface Look {
  stroke: string
  strokeDasharray?: string
}

/** Returns the look of the i-th curve: a color, and dashes once all colors are used. */
export function seriesLook(i: number): Look {
  const round = Math.floor(i / series.length)
  const stroke = color(series[i % series.length]!)
  return round === 0 ? { stroke } : { stroke, strokeDasharray: `${round * 4},3` }
}

/** Returns the custom properties of the light or dark palette, as CSS declarations. */
export function declarations(side: keyof Color): string {
  return Object.entries(palette)
    .map(([name, value]) => `--${name}: ${value[side]}`)
    .join('; ')
}
