import { formatFigure } from '@kith/ir'
import { dot, line } from '@observablehq/plot'
import { list, number, object, text } from '../data/shape.ts'
import { measureAxis } from './axes.ts'
import { seriesLook } from './palette.ts'
import { draw, type FigureKind, type Picture, type PlotSize } from './plot.ts'

/** The validations of training runs. */
export interface TrainingFigure {
  kind: 'training'
  measure: string
  runs: readonly TrainingCurve[]
}

/** One training; step 0 is the base model. */
export interface TrainingCurve {
  name: string
  points: readonly TrainingPoint[]
}

/** One validation: the loss, and the measure's value. */
export interface TrainingPoint {
  step: number
  loss: number
  value: number
}

/** Draws validation loss above and a measure below, over the same steps. */
export function trainingCurves(figure: TrainingFigure, size?: PlotSize): string {
  return draw(trainingKind, figure, size)
}

/** @internal */
export const trainingKind: FigureKind<TrainingFigure> = {
  shape: object({
    measure: text,
    runs: list(
      object({ name: text, points: list(object({ step: number, loss: number, value: number })) }),
    ),
  }),
  picture({ measure, runs }) {
    const bests = runs.map(({ name, points }) => {
      const { step, value } = bestOf(points)
      return `${name} ${formatFigure(value)} at step ${step}`
    })
    return {
      title: `Validation loss and ${measure} in training`,
      description: `Validation loss above, ${measure} below, both by the labels of the validation queries; the two may disagree where labels are sparse. Best ${measure}: ${bests.join(', ')}.`,
      legend: runs.map(({ name }, i) => ({ name, ...seriesLook(i) })),
      panels: [lossPanel(runs), measurePanel(runs, measure)],
    }
  },
}

type Panel = Picture['panels'][number]

/** Without labels on the steps: they are those of the panel below. */
function lossPanel(runs: readonly TrainingCurve[]): Panel {
  return {
    height: 190,
    marginBottom: 14,
    x: { axis: null },
    y: measureAxis('validation loss'),
    marks: runs.map(({ points }, i) => curve(points, 'loss', i)),
  }
}

function measurePanel(runs: readonly TrainingCurve[], measure: string): Panel {
  return {
    height: 222,
    x: { label: 'step', ticks: 6 },
    y: measureAxis(measure),
    marks: runs.flatMap(({ points }, i) => [
      curve(points, 'value', i),
      dot([bestOf(points)], { x: 'step', y: 'value', r: 4, fill: seriesLook(i).stroke }),
    ]),
  }
}

function curve(points: readonly TrainingPoint[], y: 'loss' | 'value', i: number) {
  return line(points, { x: 'step', y, strokeWidth: 2, ...seriesLook(i) })
}

function bestOf(points: readonly TrainingPoint[]): TrainingPoint {
  return points.reduce((a, b) => (b.value > a.value ? b : a))
}
