import { formatFigure } from '@kith/ir'
import { list, number, object, optional, positive, text } from '../data/shape.ts'
import { logAxis, measureAxis } from './axes.ts'
import {
  bestOf,
  curveLegend,
  curveMarks,
  type MeasuredMean,
  measuredShape,
} from './measure-curve.ts'
import { draw, type FigureKind, type PlotSize } from './plot.ts'

/** A measure against the number of candidates that are reranked. */
export interface ContextSizeFigure {
  kind: 'context-size'
  measure: string
  points: readonly (MeasuredMean & { size: number })[]
  /** The measure of the ranking as it was retrieved: the same for every size. */
  baseline: number
  /** The size in use. */
  chosen?: number | undefined
}

/** Draws a measure against the context size, with the geometric baseline across. */
export function contextSizePlot(figure: ContextSizeFigure, size?: PlotSize): string {
  return draw(contextSizeKind, figure, size)
}

/** @internal */
export const contextSizeKind: FigureKind<ContextSizeFigure> = {
  shape: object({
    measure: text,
    points: list(measuredShape({ size: positive })),
    baseline: number,
    chosen: optional(positive),
  }),
  picture({ measure, points, baseline, chosen }) {
    const curve = { points: points.map((point) => ({ ...point, x: point.size })), baseline, chosen }
    const sizes = points.map(({ size }) => size)
    const used = chosen === undefined ? '' : ` The large point is the size in use, ${chosen}.`
    return {
      title: `${measure} by context size`,
      description: `${measure} when the first N candidates are reranked; as retrieved it is ${formatFigure(baseline)}. ${bestOf(curve.points)}.${used}`,
      legend: curveLegend(curve),
      panels: [
        {
          height: 280,
          x: logAxis(chosen === undefined ? sizes : [...sizes, chosen], 'candidates reranked (N)'),
          y: measureAxis(measure),
          marks: curveMarks(curve),
        },
      ],
    }
  },
}
