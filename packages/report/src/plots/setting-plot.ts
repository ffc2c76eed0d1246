import { list, number, numberOrText, object, optional, text } from '../data/shape.ts'
import { axisLabel, measureAxis } from './axes.ts'
import {
  bestOf,
  curveLegend,
  curveMarks,
  type MeasuredMean,
  measuredShape,
} from './measure-curve.ts'
import { draw, type FigureKind, type PlotSize } from './plot.ts'

/** A measure against the values of one setting, all others left as they are. */
export interface SettingFigure {
  kind: 'setting'
  measure: string
  /** The setting's name. */
  setting: string
  /** Numbers, or names such as `linear`. */
  points: readonly (MeasuredMean & { value: number | string })[]
  /** The value in use. */
  chosen: number | string
  /** The measure of the ranking as it was retrieved. */
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
    // A number among names is a name.
    const named = [chosen, ...points.map(({ value }) => value)].some((x) => typeof x === 'string')
    const place = (value: number | string) => (named ? String(value) : value)
    const curve = {
      points: points.map((point) => ({ ...point, x: place(point.value) })),
      baseline,
      chosen: place(chosen),
    }
    // Names in the order given, not in that of the alphabet.
    const domain = [...new Set([...curve.points.map(({ x }) => x), curve.chosen])]
    return {
      title: `${measure} by ${setting}`,
      description: `${measure} for values of ${setting}, all other settings as they are. The large point is the value in use, ${chosen}. ${bestOf(curve.points)}.`,
      legend: curveLegend(curve),
      panels: [
        {
          height: 280,
          x: {
            label: axisLabel(setting),
            ...(named ? { type: 'point', padding: 0.5, domain } : { ticks: 6 }),
          },
          y: measureAxis(measure),
          marks: curveMarks(curve),
        },
      ],
    }
  },
}
