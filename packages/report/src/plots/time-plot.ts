import { areaY, dot, line } from '@observablehq/plot'
import { list, object, optional, positive, text } from '../data/shape.ts'
import { color, logAxis } from './axes.ts'
import { draw, type FigureKind, type PlotSize } from './plot.ts'

/** The time of reranking one query against the number of candidates. */
export interface TimeFigure {
  kind: 'time'
  points: readonly TimePoint[]
  /** The machine that the times were measured on. */
  machine?: string | undefined
}

/** The time for one number of candidates. */
export interface TimePoint {
  size: number
  /** The time per query; the median if there are several measurements. */
  milliseconds: number
  /** The bounds that contain most measurements. */
  low?: number | undefined
  high?: number | undefined
}

/** Draws the time per query against the context size. */
export function timePlot(figure: TimeFigure, size?: PlotSize): string {
  return draw(timeKind, figure, size)
}

/** @internal */
export const timeKind: FigureKind<TimeFigure> = {
  shape: object({
    points: list(
      object({
        size: positive,
        milliseconds: positive,
        low: optional(positive),
        high: optional(positive),
      }),
    ),
    machine: optional(text),
  }),
  picture({ points, machine }) {
    const last = points.reduce((a, b) => (b.size > a.size ? b : a))
    const times = points.flatMap(({ milliseconds: m, low, high }) => [m, low ?? m, high ?? m])
    const sizes = points.map(({ size }) => size)
    const spread = points.filter(({ low, high }) => low !== undefined && high !== undefined)
    const place = { x: 'size', y: 'milliseconds' }
    const title = ({ size, milliseconds }: TimePoint) => `${size}: ${brief(milliseconds)} ms`
    return {
      title: 'Time per query by context size',
      description: `Reranking time per query: ${brief(last.milliseconds)} ms with ${last.size} candidates. Both axes are logarithmic.${machine === undefined ? '' : ` Measured on ${machine}.`}`,
      panels: [
        {
          height: 280,
          x: logAxis(sizes, 'candidates reranked (N)'),
          y: { ...logAxis(times, 'milliseconds per query'), grid: true },
          marks: [
            areaY(spread, {
              x: 'size',
              y1: 'low',
              y2: 'high',
              fill: color('gain'),
              fillOpacity: 0.12,
            }),
            line(points, { ...place, stroke: color('gain'), strokeWidth: 2 }),
            dot(points, { ...place, r: 3, fill: color('gain'), title }),
          ],
        },
      ],
    }
  },
}

function brief(value: number): string {
  return String(Number(value.toPrecision(3)))
}
