/** Plots and the HTML report, from result objects. */
export { type ContextSizeFigure, contextSizePlot } from './context-size-plot.ts'
export { checkFigure, describeFigure, drawFigure, type Figure } from './figure.ts'
export { formatFigures, parseFigures } from './figures-file.ts'
export { type GainsFigure, gainsPlot } from './gains-plot.ts'
export { type LabelSpreadFigure, labelSpreadPlot } from './label-spread-plot.ts'
export type { MeasuredMean } from './measure-curve.ts'
export { type PlotSize, standaloneSvg } from './plot.ts'
export { type QuantilesOptions, quantilesPerRank, type RankQuantiles } from './quantiles.ts'
export {
  type DocumentText,
  type QueryRow,
  type QueryRows,
  type QueryRowsOptions,
  queryRows,
  type RankedDocument,
} from './query-rows.ts'
export { renderReport } from './report.ts'
export type {
  ReportComparison,
  ReportData,
  ReportInput,
  ReportRun,
  ReportTable,
} from './report-data.ts'
export { type ScoresPerRankFigure, scoresPerRankPlot } from './scores-per-rank-plot.ts'
export { type SettingFigure, settingPlot } from './setting-plot.ts'
export { parseTables } from './tables-section.ts'
export { type TimeFigure, type TimePoint, timePlot } from './time-plot.ts'
export {
  type TrainingCurve,
  type TrainingFigure,
  type TrainingPoint,
  trainingCurves,
} from './training-curves.ts'
export { type ReportVerdict, verdictOf } from './verdict.ts'
