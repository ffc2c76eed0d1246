/**
 * Internal: tables, curves and rows of reports, for Kith's own packages. They may change with any
 * version; programs use the package's main entry.
 */
export { drawFigure, formatFigures, parseFigures } from './plots/figure.ts'
export { quantilesPerRank } from './plots/spread-plots.ts'
export { trainingCurves } from './plots/training-curves.ts'
export { queryRows } from './sections/query-rows.ts'
export { parseTables } from './sections/sections.ts'
