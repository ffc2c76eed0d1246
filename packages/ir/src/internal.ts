/**
 * Internal: functions that Kith's own packages share. They may change with any version; programs
 * use the package's main entry.
 */
export {
  type EmbeddingIds,
  embeddingFiles,
  listedIds,
  type SharedRowIds,
  sharedRowIds,
} from './embeddings/embedding-ids.ts'
export { checkFinite } from './embeddings/raw-rows.ts'
export { RowCache, type SharedRows } from './embeddings/row-cache.ts'
export { IdList } from './io/id-list.ts'
export { readRange, type UnpackedFile } from './io/unpacked-file.ts'
export {
  formatHardNegatives,
  formatListwise,
  formatSentenceTransformers,
  formatTevatron,
} from './labels/label-texts.ts'
export {
  formatLabelsJson,
  formatLabelsTsv,
  hardRow,
  labelRow,
  readLabelsParquet,
  writeLabelsParquet,
} from './labels/labels.ts'
export {
  type CalibrationResult,
  calibrate,
  type JudgedHits,
  type Reliability,
} from './measures/calibrate.ts'
export { Evaluator, evaluateRun } from './measures/evaluate.ts'
export { formatFigure } from './measures/measures.ts'
export type { DocumentColumns } from './parquet/parquet-runs.ts'
export { hideAllButOne, type SharedQrels, sharedQrels, shareQrels } from './qrels/qrels.ts'
export { type ListedRanking, type RankingForm, RankingLines } from './runs/ranking-lines.ts'
export { type RunColumns, type RunParts, runColumns } from './runs/run.ts'
export {
  formatByName,
  frameColumns,
  outputFormat,
  writeRunParquet,
  writeRunParts,
} from './runs/run-files.ts'
export {
  parseSlice,
  type RunSlice,
  readSlices,
  type SharedRankings,
  type SlicedRun,
  sharedRankings,
  shareRankings,
  sliceRun,
} from './runs/run-slices.ts'
export { countRankings, streamRankings } from './runs/run-stream.ts'
export { formatP, holm, markOf, statedP } from './stats/compare.ts'
export { tQuantile } from './stats/t-distribution.ts'
export { eachText, entriesOf, readTextBlocks, type TextBlock } from './texts/text-blocks.ts'
export type { TextSink } from './texts/text-lines.ts'
export {
  type SharedTextStore,
  type SharedTexts,
  shareTexts,
  TextReader,
  TextStore,
  textAt,
} from './texts/text-store.ts'
