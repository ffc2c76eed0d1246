import { formatFigure } from '@kith/ir'
import { areaY, dot, line, type Markish, ruleX, ruleY } from '@observablehq/plot'
import { number, object, optional, type Shape } from '../data/shape.ts'
import type { LegendEntry } from './legend.ts'
import { color } from './palette.ts'

/** The mean of a measure over queries. */
export interface MeasuredMean {
  mean: number
  /** Half of the 95 % interval of the gain over the baseline. */
  margin?: number | undefined
}

/** The form of a mean with further fields. */
export function measuredShape(fields: Readonly<Record<string, Shape>>): Shape {
  return object({ ...fields, mean: number, margin: optional(number) })
}

/** A mean with its place on the horizontal axis. */
export interface CurvePoint extends MeasuredMean {
  x: number | string
}

/** A measure's curve over the values of a setting, with the baseline and the value in use. */
export interface Curve {
  points: readonly CurvePoint[]
  baseline: number | undefined
  chosen: number | string | undefined
}

/** The marks of a curve; values that are names have no order, so they get no line. */
export function curveMarks({ points, baseline, chosen }: Curve): Markish[] {
  const ordered = points.every(({ x }) => typeof x === 'number')
  const known = points.filter((point) => point.margin !== undefined)
  const bounds = {
    x: 'x',
    y1: ({ mean, margin }: CurvePoint) => mean - margin!,
    y2: ({ mean, margin }: CurvePoint) => mean + margin!,
  }
  return [
    ...(chosen === undefined ? [] : [ruleX([chosen], { stroke: color('line') })]),
    ...(ordered ? [areaY(known, { ...bounds, fill: color('gain'), fillOpacity: 0.12 })] : []),
    ...(ordered ? [] : [ruleX(known, { ...bounds, stroke: color('gain'), strokeOpacity: 0.5 })]),
    ...(baseline === undefined ? [] : [ruleY([baseline], baselineLook)]),
    ...(ordered
      ? [line(points, { x: 'x', y: 'mean', stroke: color('gain'), strokeWidth: 2 })]
      : []),
    dot(points, {
      x: 'x',
      y: 'mean',
      r: (point: CurvePoint) => (point.x === chosen ? 5.5 : 3),
      fill: color('gain'),
      title: ({ x, mean }: CurvePoint) => `${x}: ${formatFigure(mean)}`,
    }),
  ]
}

/** The names of the marks of a curve. */
export function curveLegend({ baseline, points }: Curve): LegendEntry[] {
  const banded = points.some(({ margin }) => margin !== undefined)
  return [
    {
      name: banded ? 'reranked, with the 95 % interval of the gain' : 'reranked',
      stroke: color('gain'),
    },
    ...(baseline === undefined
      ? []
      : [{ ...baselineLook, name: `as retrieved, ${formatFigure(baseline)}` }]),
  ]
}

/** The best of the points, in words. */
export function bestOf(points: readonly CurvePoint[]): string {
  const best = points.reduce((a, b) => (b.mean > a.mean ? b : a))
  return `Best at ${best.x} with ${formatFigure(best.mean)}`
}

const baselineLook = { stroke: color('soft'), strokeWidth: 1.5, strokeDasharray: '5,3' }
