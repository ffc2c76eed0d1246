import { FileError, InputFile, writeAtomic } from '@kith/base'
import { KithError } from '@kith/core'
import { checkColumnId, oneColumn } from '../io/column-id.ts'
import { firstFields } from '../io/first-fields.ts'
import type { RankedQuery, Run } from './run.ts'
import { jsonRanking, readJsonRun } from './run-json.ts'
import { msmarcoRanking, readMsmarcoRun } from './run-msmarco.ts'
import { readTrecRun, trecRanking } from './run-trec.ts'

/** `trec`: six columns; `msmarco`: query, document, rank; `json`: scores by document by query. */
export type RunFormat = 'trec' | 'msmarco' | 'json'

/** Reads a run; without a format, the ending or the first line tells it. */
export async function readRun(
  file: string,
  { format }: { format?: RunFormat | undefined } = {},
): Promise<Run> {
  const input = new InputFile(file)
  return readDetectedRun(input, format ?? (await detectRun(file, input)))
}

/** Reads a run whose format is known. @internal */
export async function readDetectedRun(input: InputFile, format: RunFormat): Promise<Run> {
  switch (format) {
    case 'trec':
      return readTrecRun(input)
    case 'msmarco':
      return readMsmarcoRun(input)
    case 'json':
      return readJsonRun(input)
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
  const chosen = format ?? formatByName(file)
  if (!['trec', 'msmarco', 'json'].includes(chosen)) throw unknownFormat(chosen)
  if (!oneColumn.test(tag)) {
    throw new KithError('BAD_SETTING', `the tag ${JSON.stringify(tag)} does not fit a column`)
  }
  await writeRunParts(file, chosen, formatted(file, rankings, chosen, tag))
}

const formatters = { trec: trecRanking, msmarco: msmarcoRanking, json: jsonRanking }

async function* formatted(
  file: string,
  rankings: Iterable<RankedQuery> | AsyncIterable<RankedQuery>,
  format: RunFormat,
  tag: string,
): AsyncGenerator<string> {
  for await (const ranking of rankings) {
    checkScores(file, ranking)
    if (format !== 'json') checkColumns(file, ranking, format)
    yield formatters[format](ranking, tag)
  }
}

/** Writes a run whose rankings are formatted already, some in each part. */
export async function writeRunParts(
  file: string,
  format: RunFormat,
  parts: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  await writeAtomic(file, async (write) => {
    let first = true
    for await (const part of parts) {
      if (format === 'json') await write(first ? '{\n' : ',\n')
      await write(part)
      first = false
    }
    if (format === 'json') await write(first ? '{}\n' : '\n}\n')
  })
}

/** The format that a run of this name is written in where none is named. */
export function formatByName(file: string): 'trec' | 'json' {
  return hasEnding(file, '.json') ? 'json' : 'trec'
}

/** Whether a file's name has an ending, with or without `.gz` behind it. */
export function hasEnding(file: string, ending: string): boolean {
  return file.replace(/\.gz$/i, '').toLowerCase().endsWith(ending)
}

/** The format of a run, by its ending or its first line. */
export async function detectRun(file: string, input: InputFile): Promise<RunFormat> {
  if (hasEnding(file, '.json')) return 'json'
  const { count, first } = firstFields(await input.start())
  if (first === OBJECT) return 'json'
  return count === 3 ? 'msmarco' : 'trec'
}

/** The first byte of a JSON run: `{`. */
const OBJECT = 0x7b

/** Checks that a ranking comes back from a file of columns as it is. */
function checkColumns(file: string, { query, ids }: RankedQuery, format: RunFormat): void {
  checkColumnId(file, query, true)
  for (const id of ids) checkColumnId(file, id)
  if (ids.length > 0) return
  const problem = `query ${query} has no documents, for which ${format} has no line: write .json`
  throw new FileError(file, '', problem)
}

function checkScores(file: string, { query, ids, scores }: RankedQuery): void {
  for (let i = 0; i < ids.length; i++) {
    if (Number.isFinite(scores[i])) continue
    throw new FileError(file, '', `query ${query}: the score of ${ids[i]} is ${scores[i]}`)
  }
}

function unknownFormat(format: unknown): KithError {
  return new KithError('BAD_SETTING', `run format ${format}, allowed: trec, msmarco, json`)
}
