import { formatFigure, statedP } from '@kith/ir/internal'
import type { HeldOutMeasures } from '@kith/pipelines/train'

/** The figures of held-out queries before and after, a line per measure. */
export function heldOutLines({ measures }: HeldOutMeasures): string[] {
  return Object.entries(measures).map(([measure, { before, after, difference, randomization }]) => {
    const change = `${difference < 0 ? '−' : '+'}${formatFigure(Math.abs(difference))}`
    const figures = `${formatFigure(before)} before, ${formatFigure(after)} after`
    return `  ${measure} ${figures} (${change}, ${statedP(randomization)})`
  })
}
