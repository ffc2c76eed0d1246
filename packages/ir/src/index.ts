/** The retrieval field's files and measures: METHOD.md section 8. */
export { type Comparison, type ComparisonOptions, compare, holm } from './compare.ts'
export { embeddingFiles } from './embedding-files.ts'
export type { EmbeddingFormat } from './embedding-format.ts'
export type { Embeddings } from './embeddings.ts'
export { type Evaluation, type EvaluationOptions, evaluate } from './evaluate.ts'
export { FileError } from './file-error.ts'
export { formatFigure } from './format-figure.ts'
export { formatP, markOf } from './format-p.ts'
export { fuseRanks, fuseScores, type Normalisation } from './fusion.ts'
export { halfTable, toHalves } from './half.ts'
export { type HiddenQrels, hideAllButOne } from './hide.ts'
export { isStandardInput } from './input-file.ts'
export { readLabelsParquet, writeLabelsParquet } from './label-parquet.ts'
export {
  formatListwise,
  formatSentenceTransformers,
  formatTevatron,
  type LabelTexts,
  type LabelValues,
} from './label-texts.ts'
export { formatLabelsJson, formatLabelsTsv, type LabelledQuery, readLabels } from './labels.ts'
export { readLines } from './lines.ts'
export { type FileLock, lockFile } from './lock-file.ts'
export { type Measure, type MeasureKind, parseMeasure } from './measure.ts'
export { type OpenEmbeddingsOptions, openEmbeddings } from './open-embeddings.ts'
export { isPipeOrDevice } from './output-place.ts'
export { type Qrels, type QrelsFormat, readQrels, writeQrels } from './qrels.ts'
export { readChunks } from './read-chunks.ts'
export { checkRegular } from './regular-file.ts'
export {
  type AppendPart,
  type ResumableWork,
  resumableFiles,
  writeResumably,
} from './resumable.ts'
export { type RankedQuery, Run } from './run.ts'
export { RunBuilder } from './run-builder.ts'
export { type RunFormat, readRun, writeRun } from './run-files.ts'
export { countRankings, streamRankings } from './run-stream.ts'
export { seededFraction } from './seeded.ts'
export { TextStore } from './text-store.ts'
export {
  readTexts,
  type TextEntry,
  type TextFormat,
  type TextLayout,
  type WriteTextsOptions,
  writeTexts,
} from './texts.ts'
export { discardUnfinished } from './unfinished.ts'
export { appendAll, writeAllSync } from './write-all.ts'
export { type WriteEmbeddingsOptions, writeEmbeddings } from './write-embeddings.ts'
export { putInPlace, type Write, writeWhole } from './write-whole.ts'
