import { formatFigure } from '@kith/ir/internal'
import { dot, line } from '@observablehq/plot'
import { list, number, object, optional, text } from '../data/shape.ts'
import { measureAxis, seriesLook } from './axes.ts'
import { draw, type FigureKind, type Picture, type PlotSize } from './plot.ts'

/** The losses and validations of training runs. */
export interface TrainingFigure {
  kind: 'training'
  measure: string
  runs: readonly TrainingCurve[]
}

/** A training; step 0 is the base model. */
export interface TrainingCurve {
  name: string
  points: readonly TrainingPoint[]
  /** The loss on the training queries; means over several steps make the curve readable. */
  steps?: readonly TrainingLoss[] | undefined
}

/** A validation: the loss, and the value of the measure. */
export interface TrainingPoint extends TrainingLoss {
  value: number
}

/** The loss at a step. */
export interface TrainingLoss {
  step: number
  loss: number
}

/** Draws training loss, validation loss and a measure below each other, over the same steps. */
export function trainingCurves(figure: TrainingFigure, size?: PlotSize): string {
  return draw(trainingKind, figure, size)
}

const loss = { step: number, loss: number }

/** @internal */
export const trainingKind: FigureKind<TrainingFigure> = {
  shape: object({
    measure: text,
    runs: list(
      object({
        name: text,
        points: list(object({ ...loss, value: number })),
        steps: optional(list(object(loss))),
      }),
    ),
  }),
  picture({ measure, runs }) {
    const bests = runs.map(({ name, points }) => {
      const { step, value } = bestOf(points)
      return `${name} ${formatFigure(value)} at step ${step}`
    })
    const trained = runs.some(({ steps }) => steps !== undefined)
    const above = trained
      ? 'Top: training loss, averaged over intervals of steps. Middle: validation loss'
      : 'Top: validation loss'
    return {
      title: `Loss and ${measure} in training`,
      description: `${above}. Bottom: ${measure} of the validation queries. With sparse labels, loss and ${measure} can disagree. Best ${measure}: ${bests.join(', ')}.`,
      legend: runs.map(({ name }, i) => ({ name, ...seriesLook(i) })),
      panels: [
        ...(trained ? [lossPanel(runs, 'training loss', ({ steps = [] }) => steps)] : []),
        lossPanel(runs, 'validation loss', ({ points }) => points),
        measurePanel(runs, measure),
      ],
    }
  },
}

type Panel = Picture['panels'][number]

/** Returns a panel with losses, without labels on the steps: the last panel has them. */
function lossPanel(
  runs: readonly TrainingCurve[],
  label: string,
  lossesOf: (run: TrainingCurve) => readonly TrainingLoss[],
): Panel {
  return {
    height: 170,
    marginBottom: 14,
    x: { axis: null, domain: stepsOf(runs) },
    y: measureAxis(
      label,
      runs.flatMap((run) => lossesOf(run).map(({ loss }) => loss)),
    ),
    marks: runs.map((run, i) => curve(lossesOf(run), 'loss', i)),
  }
}

function measurePanel(runs: readonly TrainingCurve[], measure: string): Panel {
  const [first, last] = stepsOf(runs)
  const values = runs.flatMap(({ points }) => points.map(({ value }) => value))
  return {
    height: 222,
    // At most one tick per step.
    x: { label: 'step', ticks: Math.min(6, last - first), domain: [first, last] },
    y: measureAxis(measure, values),
    marks: runs.flatMap(({ points }, i) => [
      curve(points, 'value', i),
      dot([bestOf(points)], { x: 'step', y: 'value', r: 4, fill: seriesLook(i).stroke }),
    ]),
  }
}

/** Returns the first and the last step of all curves: stacked panels share their steps. */
function stepsOf(runs: readonly TrainingCurve[]): [number, number] {
  let [first, last] = [Infinity, -Infinity]
  for (const { points, steps = [] } of runs) {
    for (const { step } of [...points, ...steps]) {
      first = Math.min(first, step)
      last = Math.max(last, step)
    }
  }
  return [first, last]
}

function curve(points: readonly TrainingLoss[], y: 'loss' | 'value', i: number) {
  return line(points, { x: 'step', y, strokeWidth: 2, ...seriesLook(i) })
}

function bestOf(points: readonly TrainingPoint[]): TrainingPoint {
  return points.reduce((a, b) => (b.value > a.value ? b : a))
}
