/** Plots and the HTML report, from result objects. */

export type {
  ReportComparison,
  ReportData,
  ReportInput,
  ReportRun,
  ReportTable,
} from './data/report-data.ts'
export {
  checkFigure,
  describeFigure,
  drawFigure,
  type Figure,
  formatFigures,
  parseFigures,
} from './plots/figure.ts'
export { type GainsFigure, gainsPlot } from './plots/gains-plot.ts'
export {
  type ContextSizeFigure,
  contextSizePlot,
  type MeasuredMean,
  type SettingFigure,
  settingPlot,
} from './plots/measure-plots.ts'
export { type PlotSize, standaloneSvg } from './plots/plot.ts'
export {
  type LabelSpreadFigure,
  labelSpreadPlot,
  type QuantilesOptions,
  quantilesPerRank,
  type RankQuantiles,
  type ScoresPerRankFigure,
  scoresPerRankPlot,
} from './plots/spread-plots.ts'
export { type TimeFigure, type TimePoint, timePlot } from './plots/time-plot.ts'
export {
  type TrainingCurve,
  type TrainingFigure,
  type TrainingLoss,
  type TrainingPoint,
  trainingCurves,
} from './plots/training-curves.ts'
export { renderReport } from './report.ts'
export { type ReportVerdict, verdictOf } from './sections/measures-section.ts'
export {
  type DocumentText,
  type QueryRow,
  type QueryRows,
  type QueryRowsOptions,
  queryRows,
  type RankedDocument,
} from './sections/query-rows.ts'
export { parseTables } from './sections/sections.ts'
