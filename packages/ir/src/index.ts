/** The retrieval field's files and measures: docs/method.md section 8. */

export { embeddingFiles } from './embeddings/embedding-files.ts'
export type { EmbeddingFormat } from './embeddings/embedding-format.ts'
export type { Embeddings } from './embeddings/embeddings.ts'
export { halfTable, toHalves } from './embeddings/half.ts'
export { type OpenEmbeddingsOptions, openEmbeddings } from './embeddings/open-embeddings.ts'
export { type WriteEmbeddingsOptions, writeEmbeddings } from './embeddings/write-embeddings.ts'
export { asFileError, FileError } from './io/file-error.ts'
export { isStandardInput } from './io/input-file.ts'
export { readLines } from './io/lines.ts'
export { type FileLock, lockFile } from './io/lock-file.ts'
export { isPipeOrDevice } from './io/output-place.ts'
export { readChunks } from './io/read-chunks.ts'
export { checkRegular } from './io/regular-file.ts'
export {
  type AppendPart,
  type ResumableWork,
  resumableFiles,
  writeResumably,
} from './io/resumable.ts'
export { discardUnfinished } from './io/unfinished.ts'
export { appendAll, writeAllSync } from './io/write-all.ts'
export { putInPlace, type Write, writeAtomic } from './io/write-atomic.ts'
export { readLabelsParquet, writeLabelsParquet } from './labels/label-parquet.ts'
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
  type LabelledQuery,
  readLabels,
} from './labels/labels.ts'
export { type Evaluation, type EvaluationOptions, evaluate } from './measures/evaluate.ts'
export { formatFigure } from './measures/format-figure.ts'
export { type Measure, type MeasureKind, parseMeasure } from './measures/measure.ts'
export { type HiddenQrels, hideAllButOne } from './qrels/hide.ts'
export { type Qrels, type QrelsFormat, readQrels, writeQrels } from './qrels/qrels.ts'
export { fuseRanks, fuseScores, type Normalisation } from './runs/fusion.ts'
export { type RankedQuery, Run } from './runs/run.ts'
export { RunBuilder } from './runs/run-builder.ts'
export { type RunFormat, readRun, writeRun } from './runs/run-files.ts'
export { countRankings, streamRankings } from './runs/run-stream.ts'
export { type Comparison, type ComparisonOptions, compare, holm } from './stats/compare.ts'
export { formatP, markOf } from './stats/format-p.ts'
export { TextStore } from './texts/text-store.ts'
export {
  readTexts,
  type TextEntry,
  type TextFormat,
  type TextLayout,
  type WriteTextsOptions,
  writeTexts,
} from './texts/texts.ts'
