/** Plots and the HTML report, from result objects. */

export { formatFigures, parseFigures } from './data/figures-file.ts'
export type {
  ReportComparison,
  ReportData,
  ReportInput,
  ReportRun,
  ReportTable,
} from './data/report-data.ts'
export { type ContextSizeFigure, contextSizePlot } from './plots/context-size-plot.ts'
export { checkFigure, describeFigure, drawFigure, type Figure } from './plots/figure.ts'
export { type GainsFigure, gainsPlot } from './plots/gains-plot.ts'
export { type LabelSpreadFigure, labelSpreadPlot } from './plots/label-spread-plot.ts'
export type { MeasuredMean } from './plots/measure-curve.ts'
export { type PlotSize, standaloneSvg } from './plots/plot.ts'
export { type QuantilesOptions, quantilesPerRank, type RankQuantiles } from './plots/quantiles.ts'
export { type ScoresPerRankFigure, scoresPerRankPlot } from './plots/scores-per-rank-plot.ts'
export { type SettingFigure, settingPlot } from './plots/setting-plot.ts'
export { type TimeFigure, type TimePoint, timePlot } from './plots/time-plot.ts'
export {
  type TrainingCurve,
  type TrainingFigure,
  type TrainingLoss,
  type TrainingPoint,
  trainingCurves,
} from './plots/training-curves.ts'
export { renderReport } from './report.ts'
export {
  type DocumentText,
  type QueryRow,
  type QueryRows,
  type QueryRowsOptions,
  queryRows,
  type RankedDocument,
} from './sections/query-rows.ts'
export { parseTables } from './sections/tables-section.ts'
export { type ReportVerdict, verdictOf } from './sections/verdict.ts'
