import { dot, text as label, line, rect } from '@observablehq/plot'
import { list, number, object, positive, text } from '../data/shape.ts'
import { color, seriesLook } from './axes.ts'
import type { FigureKind, Picture } from './plot.ts'

/** The share of relevant hits by estimated relevance, for one or several estimates. */
export interface ReliabilityFigure {
  kind: 'reliability'
  estimates: readonly {
    name: string
    /** The bins with hits, out of ten: see `kith calibrate --json`. */
    bins: readonly { from: number; hits: number; relevance: number; relevant: number }[]
  }[]
}

type Bin = ReliabilityFigure['estimates'][number]['bins'][number]

/** The width of a bin. */
const TENTH = 0.1
const tenths = { domain: [0, 1], ticks: 10 }
const diagonal = { stroke: color('soft'), strokeDasharray: '5,3' }

/** @internal */
export const reliabilityKind: FigureKind<ReliabilityFigure> = {
  shape: object({
    estimates: list(
      object({
        name: text,
        bins: list(object({ from: number, hits: positive, relevance: number, relevant: number })),
      }),
    ),
  }),
  picture({ estimates }, width) {
    const place = { x: 'relevance', y: 'relevant' }
    const title = ({ relevance, relevant, hits }: Bin) =>
      `${hits} hits: relevance ${relevance.toFixed(2)}, relevant ${relevant.toFixed(2)}`
    return {
      title: 'Reliability diagram',
      description:
        'Top: share of relevant hits by relevance, a point for each tenth that has hits. On the dashed diagonal, relevance is exact; below it, relevance is too high. Bottom: number of hits in each tenth.',
      legend: [
        ...estimates.map(({ name }, i) => ({ name, ...seriesLook(i) })),
        { name: 'exact', ...diagonal },
      ],
      panels: [
        {
          height: Math.round(Math.min(440, width * 0.75)),
          marginBottom: 24,
          x: { ...tenths, label: null },
          y: { label: 'share of relevant hits', grid: true, ...tenths },
          marks: [
            line([0, 1], {
              x: (v: number) => v,
              y: (v: number) => v,
              strokeWidth: 1.5,
              ...diagonal,
            }),
            ...estimates.flatMap(({ bins }, i) => [
              line(bins, { ...place, strokeWidth: 2, ...seriesLook(i) }),
              dot(bins, { ...place, r: 4, fill: seriesLook(i).stroke, title }),
            ]),
          ],
        },
        ...estimates.map(({ bins }, i) => hitsPanel(bins, i, i === estimates.length - 1)),
      ],
    }
  },
}

/** Draws the number of hits in each bin; the last panel labels the axis of all panels. */
function hitsPanel(bins: readonly Bin[], i: number, last: boolean): Picture['panels'][number] {
  const middle = ({ from }: Bin) => from + TENTH / 2
  return {
    height: last ? 122 : 92,
    marginTop: 20,
    marginBottom: last ? 46 : 16,
    x: last ? { ...tenths, label: 'relevance' } : { domain: [0, 1], axis: null },
    y: { axis: null },
    marks: [
      rect(bins, {
        x1: ({ from }: Bin) => from + 0.1 * TENTH,
        x2: ({ from }: Bin) => from + 0.9 * TENTH,
        y1: 0,
        y2: 'hits',
        fill: seriesLook(i).stroke,
      }),
      label(bins, { x: middle, y: 'hits', text: ({ hits }: Bin) => String(hits), dy: -8 }),
    ],
  }
}
