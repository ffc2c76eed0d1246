/** Counts the terms of a corpus for the BM25 score. */
export { collectTermStatistics, type TermStatisticsInputs } from './collect-term-statistics.ts'
