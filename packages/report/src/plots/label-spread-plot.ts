import { list, object, text } from '../data/shape.ts'
import { measureAxis } from './axes.ts'
import { BANDS_EXPLAINED, bandMarks, MEDIANS_EXPLAINED, medianMarks } from './bands.ts'
import { seriesLook } from './palette.ts'
import { draw, type FigureKind, type PlotSize } from './plot.ts'
import { quantilesShape, type RankQuantiles } from './quantiles.ts'

/** How label distributions spread their probability over ranks. */
export interface LabelSpreadFigure {
  kind: 'label-spread'
  /** One for each kind of target; ranks from `quantilesPerRank` over sorted probabilities. */
  targets: readonly { name: string; ranks: readonly RankQuantiles[] }[]
}

/** Draws the probability that labels give to their most likely document, the next, and so on. */
export function labelSpreadPlot(figure: LabelSpreadFigure, size?: PlotSize): string {
  return draw(labelSpreadKind, figure, size)
}

/** @internal */
export const labelSpreadKind: FigureKind<LabelSpreadFigure> = {
  shape: object({ targets: list(object({ name: text, ranks: quantilesShape })) }),
  picture({ targets }) {
    const sole = targets.length === 1
    const marksOf = sole ? bandMarks : medianMarks
    const firsts = targets.map(({ name, ranks }) => `${ranks[0]!.median.toFixed(2)} (${name})`)
    return {
      title: 'Spread of label distributions',
      description: `The probability of a query’s most likely document, of the next, and so on; the first has ${firsts.join(', ')} in the median. ${sole ? BANDS_EXPLAINED : MEDIANS_EXPLAINED}`,
      legend: targets.map(({ name }, i) => ({ name, ...seriesLook(i) })),
      panels: [
        {
          height: 280,
          x: { label: 'rank by probability', ticks: 6 },
          y: { ...measureAxis('probability'), zero: true },
          marks: targets.flatMap(({ ranks }, i) => marksOf(ranks, seriesLook(i))),
        },
      ],
    }
  },
}
