/**
 * The measures as trec_eval has them, for one query's grades. They run in browsers as well: nothing
 * here reads files.
 */
export { formatFigure } from './format-figure.ts'
export { type Measure, type MeasureKind, parseMeasure } from './measure.ts'
export { type GradedRanking, measures, ndcg } from './measures.ts'
