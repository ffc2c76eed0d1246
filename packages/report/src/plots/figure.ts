import { KithError } from '@kith/core'
import { type ContextSizeFigure, contextSizeKind } from './context-size-plot.ts'
import { type GainsFigure, gainsKind } from './gains-plot.ts'
import { type LabelSpreadFigure, labelSpreadKind } from './label-spread-plot.ts'
import { draw, type FigureKind, type PlotSize } from './plot.ts'
import { type ScoresPerRankFigure, scoresPerRankKind } from './scores-per-rank-plot.ts'
import { type SettingFigure, settingKind } from './setting-plot.ts'
import { type TimeFigure, timeKind } from './time-plot.ts'
import { type TrainingFigure, trainingKind } from './training-curves.ts'

/** The data of a figure: plain values, so that it can be kept as JSON. */
export type Figure =
  | ContextSizeFigure
  | TimeFigure
  | SettingFigure
  | ScoresPerRankFigure
  | LabelSpreadFigure
  | TrainingFigure
  | GainsFigure

const kinds: { [Kind in Figure['kind']]: FigureKind<Extract<Figure, { kind: Kind }>> } = {
  'context-size': contextSizeKind,
  time: timeKind,
  setting: settingKind,
  'scores-per-rank': scoresPerRankKind,
  'label-spread': labelSpreadKind,
  training: trainingKind,
  gains: gainsKind,
}

/** Draws any figure as an `<svg>` element for a page; `standaloneSvg` makes a file of it. */
export function drawFigure(figure: Figure, size?: PlotSize): string {
  return draw(kindOf(figure), figure, size)
}

/** A figure's heading and description. */
export function describeFigure(figure: Figure): { title: string; description: string } {
  const { title, description } = kindOf(figure).picture(figure, 540)
  return { title, description }
}

/** Throws if a value is not a figure that can be drawn; `path` names it in the message. */
export function checkFigure(value: unknown, path: string): asserts value is Figure {
  const kind = (value as Figure | null | undefined)?.kind
  if (typeof kind !== 'string' || !Object.hasOwn(kinds, kind)) {
    const given = JSON.stringify(kind)?.slice(0, 60)
    const known = Object.keys(kinds).join(', ')
    throw new KithError('BAD_INPUT', `${path} is of the kind ${given}, known: ${known}`)
  }
  kinds[kind].shape(value, path)
}

/** The kind says which drawing fits; the type system cannot follow that. */
function kindOf(figure: Figure): FigureKind<Figure> {
  checkFigure(figure, 'figure')
  return kinds[figure.kind] as unknown as FigureKind<Figure>
}
