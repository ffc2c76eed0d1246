import { object, optional } from '../data/shape.ts'
import { measureAxis } from './axes.ts'
import { BANDS_EXPLAINED, bandMarks } from './bands.ts'
import { color } from './palette.ts'
import { draw, type FigureKind, type PlotSize } from './plot.ts'
import { quantilesShape, type RankQuantiles } from './quantiles.ts'

/** How scores fall from rank to rank, over all queries. */
export interface ScoresPerRankFigure {
  kind: 'scores-per-rank'
  /** From `quantilesPerRank`. */
  before: readonly RankQuantiles[]
  after?: readonly RankQuantiles[] | undefined
}

/**
 * Draws the spread of scores at each rank. Before and after have a panel each, since reranking
 * changes the meaning of a score.
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
      title: 'Scores per rank',
      description: `Scores at each rank over all queries. ${BANDS_EXPLAINED}`,
      panels: [
        panel(before, after ? 'score, as retrieved' : 'score', color('soft')),
        ...(after ? [panel(after, 'score, reranked', color('gain'))] : []),
      ],
    }
  },
}
