import { rectY, ruleY } from '@observablehq/plot'
import { list, number, object, text } from '../data/shape.ts'
import { color, measureAxis } from './axes.ts'
import { draw, type FigureKind, type PlotSize } from './plot.ts'

/** The gain or loss of each query. */
export interface GainsFigure {
  kind: 'gains'
  measure: string
  /** The gains of the queries, in any order. */
  gains: readonly number[]
}

/**
 * Draws the gains of all queries, largest first. With many queries, each bar is the mean of
 * several.
 *
 * ```ts
 * const svg = gainsPlot({ kind: 'gains', measure: 'nDCG@10', gains: [0.2, 0, -0.1] })
 * ```
 */
export function gainsPlot(figure: GainsFigure, size?: PlotSize): string {
  return draw(gainsKind, figure, size)
}

/** The minimum width of a bar; narrower bars cannot be distinguished. */
const NARROWEST = 1.5

/** @internal */
export const gainsKind: FigureKind<GainsFigure> = {
  shape: object({ measure: text, gains: list(number) }),
  picture({ measure, gains }, width) {
    const better = gains.filter((gain) => gain > 0).length
    const worse = gains.filter((gain) => gain < 0).length
    const bars = barsOf(gains, Math.floor(width / NARROWEST))
    const inset = width / bars.length > 4 ? 0.5 : 0
    return {
      title: `Gain in ${measure} of each query`,
      description: `Of ${gains.length} queries ${better} are better in ${measure}, ${worse} worse, ${gains.length - better - worse} equal.`,
      panels: [
        {
          height: 240,
          x: { label: 'queries, largest gain first', ticks: 6 },
          y: { ...measureAxis(`gain in ${measure}`), tickFormat: signed },
          marks: [
            rectY(bars, {
              x1: 'from',
              x2: 'to',
              y: 'gain',
              fill: ({ gain }: Bar) => (gain < 0 ? color('loss') : color('gain')),
              // With smoothed edges, thin bars would look like stripes.
              shapeRendering: 'crispEdges',
              insetLeft: inset,
              insetRight: inset,
            }),
            ruleY([0], { stroke: color('soft') }),
          ],
        },
      ],
    }
  },
}

interface Bar {
  from: number
  to: number
  gain: number
}

function barsOf(gains: readonly number[], most: number): Bar[] {
  const sorted = gains.toSorted((a, b) => b - a)
  const count = Math.min(sorted.length, most)
  return Array.from({ length: count }, (_, i) => {
    const from = Math.floor((i * sorted.length) / count)
    const to = Math.floor(((i + 1) * sorted.length) / count)
    const sum = sorted.slice(from, to).reduce((total, gain) => total + gain, 0)
    return { from, to, gain: sum / (to - from) }
  })
}

function signed(value: number): string {
  if (value === 0) return '0'
  return `${value < 0 ? '−' : '+'}${Number(Math.abs(value).toPrecision(3))}`
}
