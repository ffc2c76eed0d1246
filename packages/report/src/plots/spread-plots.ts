import { areaY, line, type Markish } from '@observablehq/plot'
import { list, number, object, optional, positive, type Shape, text } from '../data/shape.ts'
import { color, type Look, measureAxis, seriesLook } from './axes.ts'
import { draw, type FigureKind, type Picture, type PlotSize } from './plot.ts'

/** The spread of the values of many queries at one rank. */
export interface RankQuantiles {
  /** The rank, from 1. */
  rank: number
  /** The 5th, 25th, 50th, 75th and 95th percentile. */
  low: number
  lower: number
  median: number
  upper: number
  high: number
}

/** The shape of quantiles in a file. */
const quantilesShape: Shape = list(
  object({
    rank: positive,
    low: number,
    lower: number,
    median: number,
    upper: number,
    high: number,
  }),
)

/** Options of `quantilesPerRank`. */
export interface QuantilesOptions {
  /** Maximum number of ranks. */
  ranks?: number | undefined
  /** The value of a list beyond its end, such as probability 0. */
  missing?: number | undefined
}

/**
 * Computes the spread at each rank over lists that are sorted, best first. Without a value for
 * lists beyond their ends, ranks that fewer than half of the lists have are left out: those ranks
 * would show different queries than the ranks before.
 */
export function quantilesPerRank(
  lists: readonly ArrayLike<number>[],
  { ranks = Infinity, missing }: QuantilesOptions = {},
): RankQuantiles[] {
  const found: RankQuantiles[] = []
  for (let i = 0; i < ranks; i++) {
    const there = lists.filter(({ length }) => i < length)
    if (there.length === 0) break
    if (missing === undefined && there.length * 2 < lists.length) break
    const values = (missing === undefined ? there : lists).map((list) => list[i] ?? missing!)
    const sorted = Float64Array.from(values).sort()
    found.push({
      rank: i + 1,
      low: quantile(sorted, 0.05),
      lower: quantile(sorted, 0.25),
      median: quantile(sorted, 0.5),
      upper: quantile(sorted, 0.75),
      high: quantile(sorted, 0.95),
    })
  }
  return found
}

/** Computes a quantile, with linear interpolation between two values, as most programs do. */
function quantile(sorted: Float64Array, share: number): number {
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)]!
  return below + (sorted[Math.ceil(at)]! - below) * (at - Math.floor(at))
}

/** How label distributions spread their probability over ranks. */
export interface LabelSpreadFigure {
  kind: 'label-spread'
  /** One entry per kind of target, with `quantilesPerRank` of the sorted probabilities. */
  targets: readonly { name: string; ranks: readonly RankQuantiles[] }[]
}

/**
 * Draws the probability of the most likely document of each label distribution, of the second, and
 * so on.
 */
export function labelSpreadPlot(figure: LabelSpreadFigure, size?: PlotSize): string {
  return draw(labelSpreadKind, figure, size)
}

/** @internal */
export const labelSpreadKind: FigureKind<LabelSpreadFigure> = {
  shape: object({ targets: list(object({ name: text, ranks: quantilesShape })) }),
  picture({ targets }) {
    const firsts = targets.map(({ name, ranks }) => `${ranks[0]!.median.toFixed(2)} (${name})`)
    const scale =
      targets.length === 1 ? '' : ' Each target has its own panel; all panels have the same scale.'
    return {
      title: 'Spread of label distributions',
      description: `Label probabilities of a query’s documents, from the most likely document down. Median probability of the first document: ${firsts.join(', ')}. ${BANDS_EXPLAINED}${scale}`,
      panels: panelsOf(targets),
    }
  },
}

type Panel = Picture['panels'][number]

/** Returns a panel per target; the last panel has the axis of ranks that all panels share. */
function panelsOf(targets: LabelSpreadFigure['targets']): Panel[] {
  const highest = Math.max(...targets.flatMap(({ ranks }) => ranks.map(({ high }) => high)))
  const [plain, last] = targets.length === 1 ? [0, 280] : [108, 140]
  return targets.map(({ name, ranks }, i): Panel => {
    const isLast = i === targets.length - 1
    return {
      ...(isLast ? { height: last } : { height: plain, marginBottom: 14 }),
      x: isLast ? { label: 'rank by probability', ticks: 6 } : { axis: null },
      y: { ...measureAxis(`probability, ${name}`), domain: [0, highest], ticks: 2 },
      marks: bandMarks(ranks, seriesLook(i)),
    }
  })
}

/** How scores decrease from rank to rank, over all queries. */
export interface ScoresPerRankFigure {
  kind: 'scores-per-rank'
  /** The spread at each rank, from `quantilesPerRank`. */
  before: readonly RankQuantiles[]
  after?: readonly RankQuantiles[] | undefined
}

/**
 * Draws the spread of scores at each rank. Scores before and after reranking get separate panels,
 * since reranking changes the meaning of a score.
 */
export function scoresPerRankPlot(figure: ScoresPerRankFigure, size?: PlotSize): string {
  return draw(scoresPerRankKind, figure, size)
}

/** @internal */
export const scoresPerRankKind: FigureKind<ScoresPerRankFigure> = {
  shape: object({ before: quantilesShape, after: optional(quantilesShape) }),
  picture({ before, after }) {
    const panel = (ranks: readonly RankQuantiles[], label: string, stroke: string) => ({
      height: after ? 200 : 280,
      x: { label: 'rank', ticks: 6 },
      y: measureAxis(label),
      marks: bandMarks(ranks, { stroke }),
    })
    return {
      title: 'Scores by rank',
      description: `Scores by rank, over all queries. ${BANDS_EXPLAINED}`,
      panels: [
        panel(before, after ? 'score, not reranked' : 'score', color('soft')),
        ...(after ? [panel(after, 'score, reranked', color('gain'))] : []),
      ],
    }
  },
}

/** Draws a median with the bands that contain 50% and 90% of the queries. */
function bandMarks(ranks: readonly RankQuantiles[], look: Look): Markish[] {
  const { stroke: fill } = look
  return [
    areaY(ranks, { x: 'rank', y1: 'low', y2: 'high', fill, fillOpacity: 0.12 }),
    areaY(ranks, { x: 'rank', y1: 'lower', y2: 'upper', fill, fillOpacity: 0.22 }),
    line(ranks, { x: 'rank', y: 'median', ...look, strokeWidth: 2 }),
  ]
}

/** The explanation of the marks. */
const BANDS_EXPLAINED =
  'The line is the median query. The inner band contains 50% of the queries, the outer band 90%.'
