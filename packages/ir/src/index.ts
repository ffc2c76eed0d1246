/** The retrieval field's files and measures: docs/method.md section 8. */

export { FileError } from '@kith/base'
export type { EmbeddingFormat } from './embeddings/embedding-format.ts'
export type { Embeddings, FileEmbeddings } from './embeddings/embeddings.ts'
export { type OpenEmbeddingsOptions, openEmbeddings } from './embeddings/open-embeddings.ts'
export { type WriteEmbeddingsOptions, writeEmbeddings } from './embeddings/write-embeddings.ts'
export { readLabelsParquet, writeLabelsParquet } from './labels/label-parquet.ts'
export { type LabelRow, labelRow, type NoRow } from './labels/label-row.ts'
export {
  formatListwise,
  formatSentenceTransformers,
  formatTevatron,
  type LabelTexts,
  type LabelValues,
} from './labels/label-texts.ts'
export {
  formatLabelsJson,
  formatLabelsTsv,
  type LabeledQuery,
  readLabels,
} from './labels/labels.ts'
export { type Evaluation, type EvaluationOptions, evaluate } from './measures/evaluate.ts'
export { evaluateRun } from './measures/evaluate-run.ts'
export { formatFigure } from './measures/format-figure.ts'
export { type Measure, type MeasureKind, parseMeasure } from './measures/measure.ts'
export { type HiddenQrels, hideAllButOne } from './qrels/hide.ts'
export { type Qrels, type QrelsFormat, readQrels, writeQrels } from './qrels/qrels.ts'
export { fuseRanks, fuseScores, type Normalization } from './runs/fusion.ts'
export { type RankedQuery, Run } from './runs/run.ts'
export { RunBuilder } from './runs/run-builder.ts'
export { type RunFormat, readRun, writeRun } from './runs/run-files.ts'
export { countRankings, streamRankings } from './runs/run-stream.ts'
export { type Comparison, type ComparisonOptions, compare, holm } from './stats/compare.ts'
export { formatP, markOf } from './stats/format-p.ts'
export { readTermStatistics, writeTermStatistics } from './terms/term-files.ts'
export { TextStore } from './texts/text-store.ts'
export {
  readTexts,
  type TextEntry,
  type TextFormat,
  type TextLayout,
  type WriteTextsOptions,
  writeTexts,
} from './texts/texts.ts'
