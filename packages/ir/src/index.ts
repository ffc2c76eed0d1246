/** The retrieval field's files and measures: docs/method.md section 8. */

export { FileError } from '@kith/base'
export type { EmbeddingFormat } from './embeddings/embedding-formats.ts'
export type { Embeddings, FileEmbeddings } from './embeddings/embeddings.ts'
export { type OpenEmbeddingsOptions, openEmbeddings } from './embeddings/open-embeddings.ts'
export { type WriteEmbeddingsOptions, writeEmbeddings } from './embeddings/write-embeddings.ts'
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
  type LabelRow,
  labelRow,
  type NoRow,
  readLabels,
  readLabelsParquet,
  writeLabelsParquet,
} from './labels/labels.ts'
export {
  type Evaluation,
  type EvaluationOptions,
  evaluate,
  evaluateRun,
} from './measures/evaluate.ts'
export { formatFigure, type Measure, type MeasureKind, parseMeasure } from './measures/measures.ts'
export {
  type HiddenQrels,
  hideAllButOne,
  type Qrels,
  type QrelsFormat,
  readQrels,
  writeQrels,
} from './qrels/qrels.ts'
export { fuseRanks, fuseScores, type Normalization } from './runs/fusion.ts'
export { type RankedQuery, Run, RunBuilder } from './runs/run.ts'
export { type RunFormat, readRun, writeRun } from './runs/run-files.ts'
export { countRankings, streamRankings } from './runs/run-stream.ts'
export {
  type Comparison,
  type ComparisonOptions,
  compare,
  formatP,
  holm,
  markOf,
} from './stats/compare.ts'
export { readTerms, writeTerms } from './texts/term-files.ts'
export { TextStore } from './texts/text-store.ts'
export {
  readTexts,
  type TextEntry,
  type TextFormat,
  type TextLayout,
  type WriteTextsOptions,
  writeTexts,
} from './texts/texts.ts'
