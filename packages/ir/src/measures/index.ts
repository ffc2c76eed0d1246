/**
 * The measures as trec_eval has them, for one query's grades. They run in browsers as well: nothing
 * here reads files.
 */
export {
  type CalibrationResult,
  calibrate,
  type JudgedHits,
  type Reliability,
} from './calibrate.ts'
export {
  type GradedRanking,
  type Measure,
  type MeasureKind,
  measures,
  ndcg,
  parseMeasure,
} from './measures.ts'
