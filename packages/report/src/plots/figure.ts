import { FileError } from '@kith/base'
import { KithError } from '@kith/core'
import { type GainsFigure, gainsKind } from './gains-plot.ts'
import {
  type ContextSizeFigure,
  contextSizeKind,
  type SettingFigure,
  settingKind,
} from './measure-plots.ts'
import { draw, type FigureKind, type PlotSize } from './plot.ts'
import { type ReliabilityFigure, reliabilityKind } from './reliability-plot.ts'
import {
  type LabelSpreadFigure,
  labelSpreadKind,
  type ScoresPerRankFigure,
  scoresPerRankKind,
} from './spread-plots.ts'
import { type TimeFigure, timeKind } from './time-plot.ts'
import { type TrainingFigure, trainingKind } from './training-curves.ts'

/** The data of a figure: plain values that can be stored as JSON. */
export type Figure =
  | ContextSizeFigure
  | TimeFigure
  | SettingFigure
  | ScoresPerRankFigure
  | LabelSpreadFigure
  | TrainingFigure
  | GainsFigure
  | ReliabilityFigure

const kinds: { [Kind in Figure['kind']]: FigureKind<Extract<Figure, { kind: Kind }>> } = {
  'context-size': contextSizeKind,
  time: timeKind,
  setting: settingKind,
  'scores-per-rank': scoresPerRankKind,
  'label-spread': labelSpreadKind,
  training: trainingKind,
  gains: gainsKind,
  reliability: reliabilityKind,
}

/**
 * Draws any figure as an `<svg>` element for a page; `standaloneSvg` turns the element into a file.
 */
export function drawFigure(figure: Figure, size?: PlotSize): string {
  return draw(kindOf(figure), figure, size)
}

/** Returns a figure's heading and description. */
export function describeFigure(figure: Figure): { title: string; description: string } {
  const { title, description } = kindOf(figure).picture(figure, 540)
  return { title, description }
}

/** Throws if a value is not a figure that can be drawn; `path` names the value in the message. */
export function checkFigure(value: unknown, path: string): asserts value is Figure {
  const kind = (value as Figure | null | undefined)?.kind
  if (typeof kind !== 'string' || !Object.hasOwn(kinds, kind)) {
    const given = JSON.stringify(kind)?.slice(0, 60)
    const known = Object.keys(kinds).join(', ')
    throw new KithError('BAD_INPUT', `${path}: kind must be one of ${known}, got ${given}`)
  }
  kinds[kind].shape(value, path)
}

/**
 * Returns the kind of a figure, as a kind for any figure: the type system cannot infer the match.
 */
function kindOf(figure: Figure): FigureKind<Figure> {
  checkFigure(figure, 'figure')
  return kinds[figure.kind] as unknown as FigureKind<Figure>
}

/** Formats figures as JSON, for `parseFigures`. */
export function formatFigures(figures: readonly Figure[]): string {
  return `${JSON.stringify({ kith: 'figures', version: 1, figures }, undefined, 1)}\n`
}

/** Parses and checks the figures of a file. */
export function parseFigures(text: string, file: string): Figure[] {
  const wrong = (problem: string) => new FileError(file, '', problem)
  let content: { kith?: unknown; version?: unknown; figures?: unknown } | null
  try {
    content = JSON.parse(text)
  } catch (error) {
    throw wrong(`not JSON: ${(error as Error).message}`)
  }
  if (content?.kith !== 'figures' || !Array.isArray(content.figures)) {
    throw wrong('contains no figures of kith sweep')
  }
  if (content.version !== 1) throw wrong(`expected version 1, got ${content.version}`)
  return content.figures.map((figure, i) => {
    try {
      checkFigure(figure, `figure ${i + 1}`)
    } catch (error) {
      throw error instanceof KithError ? wrong(error.message) : error
    }
    return figure
  })
}
