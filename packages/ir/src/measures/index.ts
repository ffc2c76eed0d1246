/**
 * The measures as trec_eval has them, for one query's grades. They run in browsers as well: nothing
 * here reads files.
 */
export {
  type GradedRanking,
  type Measure,
  type MeasureKind,
  measures,
  ndcg,
  parseMeasure,
} from './measures.ts'
