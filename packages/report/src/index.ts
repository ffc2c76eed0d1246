/** Plots and the HTML report, from result objects. */

export type {
  ReportComparison,
  ReportData,
  ReportInput,
  ReportRun,
  ReportTable,
} from './data/report-data.ts'
export type { Figure } from './plots/figure.ts'
export { type GainsFigure, gainsPlot } from './plots/gains-plot.ts'
export type { ContextSizeFigure, MeasuredMean, SettingFigure } from './plots/measure-plots.ts'
export { type PlotSize, standaloneSvg } from './plots/plot.ts'
export type { ReliabilityFigure } from './plots/reliability-plot.ts'
export type {
  LabelSpreadFigure,
  QuantilesOptions,
  RankQuantiles,
  ScoresPerRankFigure,
} from './plots/spread-plots.ts'
export type { TimeFigure, TimePoint } from './plots/time-plot.ts'
export type {
  TrainingCurve,
  TrainingFigure,
  TrainingLoss,
  TrainingPoint,
} from './plots/training-curves.ts'
export { renderReport } from './report.ts'
export type { ReportVerdict } from './sections/measures-section.ts'
export type {
  DocumentText,
  QueryRow,
  QueryRows,
  QueryRowsOptions,
  RankedDocument,
} from './sections/query-rows.ts'
