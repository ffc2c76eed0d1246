import { FileError, InputFile, type Write, writeAtomic } from '@kith/base'
import { KithError } from '@kith/core'
import { checkEnding } from '../io/endings.ts'
import { firstFields, oneColumn } from '../io/fields.ts'
import type { DocumentColumns } from '../parquet/parquet-runs.ts'
import { RankingLines, type RunFormat, type TextFormat } from './ranking-lines.ts'
import { type RankedQuery, type Run, RunBuilder } from './run.ts'
import { readJsonRun } from './run-json.ts'
import { RunRows } from './run-rows.ts'

/**
 * Reads a run. Without a format, the extension or the first line decides.
 *
 * ```ts
 * const run = await readRun('run.trec')
 * run.get('q1')?.ids // best first
 * ```
 */
export async function readRun(
  file: string,
  { format }: { format?: RunFormat | undefined } = {},
): Promise<Run> {
  const input = new InputFile(file)
  return readDetectedRun(input, format ?? (await detectRun(file, input)))
}

/**
 * Loads the Parquet reader only if needed: most runs are not Parquet, and its libraries have some
 * 70 files.
 */
const load = () => import('../parquet/parquet-runs.ts')

/** Writes rankings as Parquet rows: qid, docid, rank from 1, score, and columns of documents. */
export async function writeRunParquet(
  file: string,
  rankings: Iterable<RankedQuery> | AsyncIterable<RankedQuery>,
  documents?: DocumentColumns,
): Promise<void> {
  await (await load()).writeRunParquet(file, rankings, documents)
}

/** Returns which columns of documents the rows of a Parquet run have. */
export async function frameColumns(
  file: string,
): Promise<{ vector: boolean; text: boolean; title: boolean }> {
  const texts = await import('../parquet/parquet-texts.ts')
  return texts.frameColumns(file)
}

/** Reads a run whose format is known. @internal */
export async function readDetectedRun(input: InputFile, format: RunFormat): Promise<Run> {
  switch (format) {
    case 'trec':
    case 'msmarco':
      return readRows(input, format)
    case 'json':
      return readJsonRun(input)
    case 'parquet':
      await input.close()
      return (await load()).readRunParquet(input.name)
    default:
      throw unknownFormat(format)
  }
}

async function readRows(input: InputFile, format: 'trec' | 'msmarco'): Promise<Run> {
  const builder = new RunBuilder(input.name)
  const rows = new RunRows(input.name, format, builder)
  for await (const chunk of input.chunks()) rows.push(chunk)
  rows.end()
  return builder.finish()
}

/**
 * Writes rankings, best first, as a run. Without a format, `.json` means JSON, `.parquet` Parquet,
 * and all other names TREC.
 *
 * ```ts
 * await writeRun('better.trec', run)
 * ```
 */
export async function writeRun(
  file: string,
  rankings: Iterable<RankedQuery> | AsyncIterable<RankedQuery>,
  { format, tag = 'kith' }: { format?: RunFormat | undefined; tag?: string | undefined } = {},
): Promise<void> {
  const chosen = format ?? outputFormat(file)
  if (!['trec', 'msmarco', 'json', 'parquet'].includes(chosen)) throw unknownFormat(chosen)
  if (!oneColumn.test(tag)) {
    throw new KithError(
      'BAD_SETTING',
      `tag ${JSON.stringify(tag)} does not fit into a column; use a tag without spaces`,
    )
  }
  checkReadable(file, chosen)
  if (chosen === 'parquet') return writeRunParquet(file, rankings)
  const lines = new RankingLines({ file, format: chosen }, tag)
  await writeRunParts(file, chosen, formatted(rankings, lines))
}

async function* formatted(
  rankings: Iterable<RankedQuery> | AsyncIterable<RankedQuery>,
  lines: RankingLines,
): AsyncGenerator<Uint8Array> {
  for await (const ranking of rankings) {
    lines.add(ranking)
    yield lines.take()
  }
}

/**
 * Writes a run whose rankings are already formatted, some in each part.
 *
 * @param written Called with the bytes of the file as they are written.
 */
export async function writeRunParts(
  file: string,
  format: TextFormat,
  parts: AsyncIterable<string | Uint8Array>,
  written?: (bytes: Uint8Array) => void,
): Promise<void> {
  const body = async (write: Write): Promise<void> => {
    let first = true
    for await (const part of parts) {
      if (format === 'json') await write(first ? '{\n' : ',\n')
      await write(part)
      first = false
    }
    if (format === 'json') await write(first ? '{}\n' : '\n}\n')
  }
  await writeAtomic(file, body, written)
}

/** Returns the default output format of a run; throws if the extension does not fit a run. */
export function outputFormat(file: string): 'trec' | 'json' | 'parquet' {
  checkEnding(file, { content: 'a run', fits: ['trec', 'json', 'parquet'] })
  return formatByName(file)
}

/**
 * Refuses a format that readers would not expect: they detect Parquet and JSON by the extension.
 */
function checkReadable(file: string, format: RunFormat): void {
  const named = formatByName(file)
  const parquet = named === 'parquet' || format === 'parquet'
  if (named === format || !(parquet || named === 'json')) return
  const problem = `a run in the format ${format} would be read as ${named} by its extension`
  throw new FileError(file, '', `${problem}; choose another extension`)
}

/** Returns the format of a run by its file name. */
export function formatByName(file: string): 'trec' | 'json' | 'parquet' {
  if (isParquet(file)) return 'parquet'
  return hasEnding(file, '.json') ? 'json' : 'trec'
}

/**
 * Returns whether a file is Parquet by its name. Parquet compresses its own columns, so the file
 * itself is not compressed.
 */
function isParquet(file: string): boolean {
  return /\.parquet$/i.test(file)
}

/** Returns whether a file name has an extension, with or without `.gz` after it. */
function hasEnding(file: string, ending: string): boolean {
  return file.replace(/\.gz$/i, '').toLowerCase().endsWith(ending)
}

/** Detects the format of a run by its extension or its first line. */
export async function detectRun(file: string, input: InputFile): Promise<RunFormat> {
  if (hasEnding(file, '.json')) return 'json'
  if (isParquet(file)) return 'parquet'
  const { count, first } = firstFields(await input.start())
  if (first === OBJECT) return 'json'
  return count === 3 ? 'msmarco' : 'trec'
}

/** The first byte of a JSON run: `{`. */
const OBJECT = 0x7b

function unknownFormat(format: unknown): KithError {
  return new KithError(
    'BAD_SETTING',
    `run format must be trec, msmarco, json or parquet, got ${format}`,
  )
}
