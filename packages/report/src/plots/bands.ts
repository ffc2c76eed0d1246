import { areaY, line, type Markish } from '@observablehq/plot'
import type { Look } from './palette.ts'
import type { RankQuantiles } from './quantiles.ts'

/** A median with the bands in which half, and nine of ten queries lie. */
export function bandMarks(ranks: readonly RankQuantiles[], look: Look): Markish[] {
  const { stroke: fill } = look
  return [
    areaY(ranks, { x: 'rank', y1: 'low', y2: 'high', fill, fillOpacity: 0.12 }),
    areaY(ranks, { x: 'rank', y1: 'lower', y2: 'upper', fill, fillOpacity: 0.22 }),
    line(ranks, { x: 'rank', y: 'median', ...look, strokeWidth: 2 }),
  ]
}

/** The meaning of the marks, in words. */
export const BANDS_EXPLAINED =
  'The line is the median query; half of the queries lie in the inner band, nine of ten in the outer one.'
