import { formatFigure } from '@kith/ir/internal'
import { areaY, dot, line, type Markish, ruleX, ruleY, type ScaleOptions } from '@observablehq/plot'
import {
  list,
  number,
  numberOrText,
  object,
  optional,
  positive,
  type Shape,
  text,
} from '../data/shape.ts'
import { axisLabel, color, type LegendEntry, logAxis, measureAxis } from './axes.ts'
import { draw, type FigureKind, type Picture, type PlotSize } from './plot.ts'

/** The mean of a measure over queries. */
export interface MeasuredMean {
  mean: number
  /** Half of the 95 % confidence interval of the gain over the baseline. */
  margin?: number | undefined
}

/** Returns the shape of a mean with further fields. */
function measuredShape(fields: Readonly<Record<string, Shape>>): Shape {
  return object({ ...fields, mean: number, margin: optional(number) })
}

/** A mean with its position on the horizontal axis. */
interface CurvePoint extends MeasuredMean {
  x: number | string
}

/** A measure's curve over the values of a setting, with the baseline and the value in use. */
interface Curve {
  points: readonly CurvePoint[]
  baseline: number | undefined
  chosen: number | string | undefined
}

/** Returns the marks of a curve; values that are names have no order, so they get no line. */
function curveMarks({ points, baseline, chosen }: Curve): Markish[] {
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

/** Returns the panel of a curve and its legend. */
function drawnCurve(
  curve: Curve,
  measure: string,
  x: ScaleOptions,
): Pick<Picture, 'legend' | 'panels'> {
  const panel = { height: 280, x, y: measureAxis(measure), marks: curveMarks(curve) }
  return { legend: curveLegend(curve), panels: [panel] }
}

/** Returns the legend of a curve. */
function curveLegend({ baseline, points }: Curve): LegendEntry[] {
  const banded = points.some(({ margin }) => margin !== undefined)
  return [
    {
      name: banded ? 'reranked, with the 95 % interval of the gain' : 'reranked',
      stroke: color('gain'),
    },
    ...(baseline === undefined
      ? []
      : [{ ...baselineLook, name: `not reranked, ${formatFigure(baseline)}` }]),
  ]
}

/** Describes the best of the points. */
function bestOf(points: readonly CurvePoint[]): string {
  const best = points.reduce((a, b) => (b.mean > a.mean ? b : a))
  return `Best at ${best.x} with ${formatFigure(best.mean)}`
}

const baselineLook = { stroke: color('soft'), strokeWidth: 1.5, strokeDasharray: '5,3' }

/** A measure against the values of one setting, with all other settings unchanged. */
export interface SettingFigure {
  kind: 'setting'
  measure: string
  /** The setting's name. */
  setting: string
  /** Numbers, or names such as `linear`. */
  points: readonly (MeasuredMean & { value: number | string })[]
  /** The value in use. */
  chosen: number | string
  /** The measure of the ranking before reranking. */
  baseline?: number | undefined
}

/** Draws a measure against one setting, with the value in use marked. */
export function settingPlot(figure: SettingFigure, size?: PlotSize): string {
  return draw(settingKind, figure, size)
}

/** @internal */
export const settingKind: FigureKind<SettingFigure> = {
  shape: object({
    measure: text,
    setting: text,
    points: list(measuredShape({ value: numberOrText })),
    chosen: numberOrText,
    baseline: optional(number),
  }),
  picture({ measure, setting, points, baseline, chosen }) {
    // If any value is a name, numbers are treated as names, too.
    const named = [chosen, ...points.map(({ value }) => value)].some((x) => typeof x === 'string')
    const place = (value: number | string) => (named ? String(value) : value)
    const curve = {
      points: points.map((point) => ({ ...point, x: place(point.value) })),
      baseline,
      chosen: place(chosen),
    }
    // Names keep the given order instead of the alphabetical order.
    const domain = [...new Set([...curve.points.map(({ x }) => x), curve.chosen])]
    return {
      title: `${measure} by ${setting}`,
      description: `${measure} by value of ${setting}, with all other settings unchanged. The large point is the current value, ${chosen}. ${bestOf(curve.points)}.`,
      ...drawnCurve(curve, measure, {
        label: axisLabel(setting),
        ...(named ? { type: 'point', padding: 0.5, domain } : { ticks: 6 }),
      }),
    }
  },
}

/** A measure against the number of candidates that are reranked. */
export interface ContextSizeFigure {
  kind: 'context-size'
  measure: string
  points: readonly (MeasuredMean & { size: number })[]
  /** The measure of the ranking before reranking, which is the same for every size. */
  baseline: number
  /** The context size in use. */
  chosen?: number | undefined
}

/** Draws a measure against the context size, with a line for the geometric baseline. */
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
    const used =
      chosen === undefined ? '' : ` The large point is the current context size, ${chosen}.`
    return {
      title: `${measure} by context size`,
      description: `${measure} if Kith reranks the first N candidates (${formatFigure(baseline)} without reranking). ${bestOf(curve.points)}.${used}`,
      ...drawnCurve(
        curve,
        measure,
        logAxis(chosen === undefined ? sizes : [...sizes, chosen], 'candidates reranked (N)'),
      ),
    }
  },
}
