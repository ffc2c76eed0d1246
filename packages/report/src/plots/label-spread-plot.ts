import { list, object, text } from '../data/shape.ts'
import { measureAxis } from './axes.ts'
import { BANDS_EXPLAINED, bandMarks } from './bands.ts'
import { seriesLook } from './palette.ts'
import { draw, type FigureKind, type Picture, type PlotSize } from './plot.ts'
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
    const firsts = targets.map(({ name, ranks }) => `${ranks[0]!.median.toFixed(2)} (${name})`)
    const scale =
      targets.length === 1
        ? ''
        : ' Targets have a panel each, on one scale: laid over each other, they hide each other.'
    return {
      title: 'Spread of label distributions',
      description: `The probability of a query’s most likely document, of the next, and so on; the first has ${firsts.join(', ')} in the median. ${BANDS_EXPLAINED}${scale}`,
      panels: panelsOf(targets),
    }
  },
}

type Panel = Picture['panels'][number]

/** A panel for each target; the last one has the ranks that all share. */
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
