/**
 * Lines of runs and of texts: reads them, checks rankings, and writes lines. Every position is an
 * address in the memory, which src/io/line-kernel.ts lays out.
 */

export { checkRankings } from './check-rankings'
export { formatRankings, formattedTo, stoppedRow, stopReason } from './format-rankings'
export { readTexts, textBytes, textLines } from './read-texts'
export {
  byteCount,
  findQueries,
  groupCount,
  lineCount,
  openScoreCount,
  splitRows,
} from './split-rows'
