/**
 * The lines of runs: reads them to columns, checks rankings, and writes lines. Every position is an
 * address in the memory, which run-kernel.ts lays out.
 */

export { checkRanking } from './check-ranking'
export { formatRows, formattedTo, stopReason } from './format-rows'
export { byteCount, groupCount, lineCount, openScoreCount, queryEnd, splitRows } from './split-rows'
