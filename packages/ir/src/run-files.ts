import { KithError } from '@kith/core'
import { Fields } from './fields.ts'
import { peek } from './read-chunks.ts'
import type { RankedQuery, Run } from './run.ts'
import { readJsonRun, writeJsonRanking } from './run-json.ts'
import { readMsmarcoRun, writeMsmarcoRanking } from './run-msmarco.ts'
import { readTrecRun, writeTrecRanking } from './run-trec.ts'
import { writeWhole } from './write-whole.ts'

/** `trec`: six columns; `msmarco`: query, document, rank; `json`: scores by document by query. */
export type RunFormat = 'trec' | 'msmarco' | 'json'

/** Reads a run; without a format, the ending or the first line tells it. */
export async function readRun(
  file: string,
  { format }: { format?: RunFormat | undefined } = {},
): Promise<Run> {
  switch (format ?? (await detectRun(file))) {
    case 'trec':
      return readTrecRun(file)
    case 'msmarco':
      return readMsmarcoRun(file)
    case 'json':
      return readJsonRun(file)
    default:
      throw unknownFormat(format)
  }
}

/** Writes rankings, best first, as a run; without a format, `.json` means JSON and the rest TREC. */
export async function writeRun(
  file: string,
  rankings: Iterable<RankedQuery> | AsyncIterable<RankedQuery>,
  { format, tag = 'kith' }: { format?: RunFormat | undefined; tag?: string | undefined } = {},
): Promise<void> {
  const chosen = format ?? (hasEnding(file, '.json') ? 'json' : 'trec')
  if (!['trec', 'msmarco', 'json'].includes(chosen)) throw unknownFormat(chosen)
  await writeWhole(file, async (write) => {
    let first = true
    for await (const ranking of rankings) {
      if (chosen !== 'json') checkIds(file, ranking)
      if (chosen === 'trec') await writeTrecRanking(write, ranking, tag)
      else if (chosen === 'msmarco') await writeMsmarcoRanking(write, ranking)
      else await writeJsonRanking(write, ranking, first)
      first = false
    }
    if (chosen === 'json') await write(first ? '{}\n' : '\n}\n')
  })
}

/** Whether a file's name has an ending, with or without `.gz` behind it. */
export function hasEnding(file: string, ending: string): boolean {
  return file.replace(/\.gz$/i, '').toLowerCase().endsWith(ending)
}

/** The format of a run, by its ending or its first line. */
export async function detectRun(file: string): Promise<RunFormat> {
  if (hasEnding(file, '.json')) return 'json'
  const start = await peek(file)
  const end = start.indexOf(10)
  const fields = new Fields(1)
  const count = fields.split(start, 0, end < 0 ? start.length : end)
  if (start[fields.starts[0]!] === 0x7b) return 'json'
  return count === 3 ? 'msmarco' : 'trec'
}

/** White space in an id would shift the columns of every line that holds it. */
function checkIds(file: string, { query, ids }: RankedQuery): void {
  for (const id of [query, ...ids]) {
    if (id !== '' && !/\s/.test(id)) continue
    throw new KithError('BAD_INPUT', `${file}: the id ${JSON.stringify(id)} does not fit a column`)
  }
}

function unknownFormat(format: unknown): KithError {
  return new KithError('BAD_SETTING', `run format ${format}, allowed: trec, msmarco, json`)
}
