/**
 * The measures of trec_eval, for one query's grades. They also run in browsers: this module reads
 * no files.
 */
export {
  type GradedRanking,
  type Measure,
  type MeasureKind,
  measures,
  ndcg,
  parseMeasure,
} from './measures.ts'
