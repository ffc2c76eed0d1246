/**
 * The lines of runs: reads them to columns, checks rankings, and writes lines. Every position is an
 * address in the memory, which run-kernel.ts lays out.
 */

export { checkRankings } from './check-rankings'
export { formatRankings, formattedTo, stoppedRow, stopReason } from './format-rankings'
export {
  byteCount,
  findQueries,
  groupCount,
  lineCount,
  openScoreCount,
  splitRows,
} from './split-rows'
