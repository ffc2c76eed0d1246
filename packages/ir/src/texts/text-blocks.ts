import { FileError, InputFile, LineBlocks } from '@kith/base'
import { KithError } from '@kith/core'
import {
  type ByteRange,
  countLines,
  countLinesBefore,
  readLinesOf,
  type UnpackedFile,
  unpackedFile,
} from '../io/unpacked-file.ts'
import { type LineFormat, parseLines, readTextLines, type TextSink } from './text-lines.ts'
import type { ReadTextsOptions, TextEntry, TextFormat } from './texts.ts'
import { readSgmlTexts } from './texts-sgml.ts'

/**
 * Some texts of a file: a range, whose lines are not read yet; lines, which are not parsed yet; or
 * entries.
 */
export type TextBlock = TextRange | TextLines | { entries: TextEntry[] }

/** Lines with one text each, in a form that can be sent to a worker thread. */
interface TextLines extends LineFormat {
  bytes: Uint8Array
  /** The number of lines before this block. */
  line: number
}

/** The lines that start in a range of the file. */
interface TextRange extends LineFormat, ByteRange {
  unpacked: UnpackedFile
}

/** Options for reading texts in blocks. */
interface TextBlockOptions extends ReadTextsOptions {
  /**
   * Number of bytes of a block of lines, except of the last block. If undefined, each block has the
   * lines of a chunk of the file.
   */
  size?: number
}

/** Entries per block, for formats whose texts are not lines. */
const ENTRIES = 256

/** Reads texts in blocks, which `entriesOf` parses; throws if there are none. */
export async function* readTextBlocks(
  file: string,
  { format, fields = [], size }: TextBlockOptions = {},
): AsyncGenerator<TextBlock> {
  const input = new InputFile(file)
  const chosen = format ?? (await detectTexts(input))
  let isEmpty = true
  if (fields.length > 0 && chosen !== 'jsonl') {
    await input.close()
    const problem = `only texts in JSONL have fields such as ${JSON.stringify(fields[0])} (read as ${chosen})`
    throw new FileError(input.name, '', `${problem}; convert the file to JSONL`)
  }
  if (chosen === 'jsonl' || chosen === 'tsv') {
    const form = { file: input.name, format: chosen, fields }
    const unpacked =
      size === undefined || isBlank(await input.start()) ? undefined : unpackedFile(file)
    if (unpacked) {
      await input.close()
      for (let from = 0; from < unpacked.size; from += size!) {
        yield { ...form, unpacked, from, to: Math.min(from + size!, unpacked.size) }
      }
      return
    }
    for await (const lines of lineBlocks(input, size)) {
      // Every line that is not blank is a text.
      isEmpty &&= isBlank(lines.bytes)
      yield { ...form, ...lines }
    }
  } else if (chosen === 'sgml' || chosen === 'parquet') {
    const entries = chosen === 'sgml' ? readSgmlTexts(input) : readParquet(input)
    for await (const block of inBlocks(entries)) {
      isEmpty = false
      yield block
    }
  } else {
    throw new KithError(
      'BAD_SETTING',
      `text format must be jsonl, tsv, sgml or parquet, got ${chosen}`,
    )
  }
  if (isEmpty) throw new FileError(input.name, '', `contains no texts (read as ${chosen})`)
}

/** Parses the texts of a block. */
export function entriesOf(block: TextBlock): TextEntry[] {
  if ('entries' in block) return block.entries
  return withLines(block, (bytes, before) => parseLines(block, before, bytes))
}

/** Hands over the texts of a block one by one, without strings for most lines. */
export function eachText(block: TextBlock, sink: TextSink): void {
  // Further fields are read from strings.
  if ('entries' in block || block.fields.length > 0) {
    for (const entry of entriesOf(block)) sink.entry(entry)
  } else withLines(block, (bytes, before) => readTextLines(block, before, bytes, sink))
}

/** Calls a function with the lines of a block, and the number of lines before them. */
function withLines<T>(block: TextLines | TextRange, use: (bytes: Buffer, before: number) => T): T {
  if ('bytes' in block) return use(toBuffer(block.bytes), block.line)
  const { bytes, at } = readLinesOf(block.unpacked, block)
  try {
    return use(bytes, 0)
  } catch (error) {
    // Parses the lines again, so that the error names the line of the file.
    parseLines(block, countLinesBefore(block.unpacked, at), bytes)
    throw error
  }
}

function toBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, length)
}

function isBlank(bytes: Uint8Array): boolean {
  return toBuffer(bytes).toString().trim() === ''
}

async function detectTexts(input: InputFile): Promise<TextFormat> {
  const start = (await input.start()).toString('latin1', 0, 4096).trimStart()
  if (start.startsWith('{')) return 'jsonl'
  if (start.startsWith('PAR1')) return 'parquet'
  return /^(<[?!][^>]*>\s*)*<(doc|top|[a-z]+>\s*<(doc|top))\b/i.test(start) ? 'sgml' : 'tsv'
}

/** Yields blocks of whole lines, in memory of their own. */
async function* lineBlocks(
  input: InputFile,
  size = 0,
): AsyncGenerator<{ bytes: Uint8Array<ArrayBuffer>; line: number }> {
  const blocks = new LineBlocks(input.name)
  let waiting: Buffer[] = []
  let length = 0
  let line = 0
  const take = (): { bytes: Uint8Array<ArrayBuffer>; line: number } => {
    const taken = { bytes: new Uint8Array(length), line }
    let at = 0
    for (const part of waiting) {
      taken.bytes.set(part, at)
      at += part.length
      line += countLines(part)
    }
    waiting = []
    length = 0
    return taken
  }
  for await (const chunk of input.chunks()) {
    for (const part of blocks.push(chunk)) {
      waiting.push(part)
      length += part.length
    }
    if (length > 0 && length >= size) yield take()
  }
  for (const part of blocks.end()) {
    waiting.push(part)
    length += part.length
  }
  if (length > 0) yield take()
}

async function* inBlocks(entries: AsyncIterable<TextEntry>): AsyncGenerator<TextBlock> {
  let block: TextEntry[] = []
  for await (const entry of entries) {
    block.push(entry)
    if (block.length < ENTRIES) continue
    yield { entries: block }
    block = []
  }
  if (block.length > 0) yield { entries: block }
}

async function* readParquet(input: InputFile): AsyncGenerator<TextEntry> {
  await input.close()
  // Loaded here, since most programs do not read Parquet, and its libraries have many files.
  const { readParquetTexts } = await import('../parquet/parquet-texts.ts')
  yield* readParquetTexts(input.name)
}
