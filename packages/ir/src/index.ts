/** Standard IR files and measures: docs/method.md section 8. */

export type { EmbeddingFormat } from './embeddings/embedding-formats.ts'
export type { Embeddings, FileEmbeddings } from './embeddings/embeddings.ts'
export { type OpenEmbeddingsOptions, openEmbeddings } from './embeddings/open-embeddings.ts'
export { type WriteEmbeddingsOptions, writeEmbeddings } from './embeddings/write-embeddings.ts'
export type { LabelTexts, LabelValues } from './labels/label-texts.ts'
export { type LabeledQuery, type LabelRow, type NoRow, readLabels } from './labels/labels.ts'
export { type Evaluation, type EvaluationOptions, evaluate } from './measures/evaluate.ts'
export type { Measure, MeasureKind } from './measures/measures.ts'
export {
  type HiddenQrels,
  type Qrels,
  type QrelsFormat,
  readQrels,
  writeQrels,
} from './qrels/qrels.ts'
export { fuseRanks, fuseScores, type ScoreNormalization } from './runs/fusion.ts'
export type { RunFormat } from './runs/ranking-lines.ts'
export { type RankedQuery, type Run, RunBuilder } from './runs/run.ts'
export { readRun, writeRun } from './runs/run-files.ts'
export { type Comparison, type ComparisonOptions, compare } from './stats/compare.ts'
export { readTermStatistics, writeTermStatistics } from './texts/term-files.ts'

export {
  readTexts,
  type TextEntry,
  type TextFormat,
  type TextLayout,
  type WriteTextsOptions,
  writeTexts,
} from './texts/texts.ts'
