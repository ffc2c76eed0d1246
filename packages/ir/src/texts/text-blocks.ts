import { isAscii } from 'node:buffer'
import { FileError, firstBadLine, InputFile, LineBlocks, lineError, notUtf8 } from '@kith/base'
import { KithError } from '@kith/core'
import { jsonId, parseJsonLine } from '../io/json-line.ts'
import {
  type ByteRange,
  countLines,
  countLinesBefore,
  readLinesOf,
  type UnpackedFile,
  unpackedFile,
} from '../io/unpacked-file.ts'
import type { ReadTextsOptions, TextEntry, TextFormat } from './texts.ts'
import { readSgmlTexts } from './texts-sgml.ts'

/**
 * Some texts of a file: the lines of a range, which `entriesOf` reads; lines that are not parsed
 * yet; or entries.
 */
export type TextBlock = TextRange | TextLines | { entries: TextEntry[] }

interface LineFormat {
  file: string
  format: 'jsonl' | 'tsv'
  fields: readonly string[]
}

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

const NEWLINE = 10
const RETURN = 13

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
  if ('bytes' in block) return parseLines(block, block.line, toBuffer(block.bytes))
  const { bytes, at } = readLinesOf(block.unpacked, block)
  try {
    return parseLines(block, 0, bytes)
  } catch {
    // Once more, for the number of the bad line in the file.
    return parseLines(block, countLinesBefore(block.unpacked, at), bytes)
  }
}

/**
 * Parses a text of each line.
 *
 * @param before The number of lines before these.
 */
function parseLines(
  { file, format, fields }: LineFormat,
  before: number,
  bytes: Buffer,
): TextEntry[] {
  const entries: TextEntry[] = []
  const firstBad = firstBadLine(bytes)
  const encoding = isAscii(bytes) ? 'latin1' : 'utf8'
  const ends = lineEnds(bytes)
  // V8 would compile a loop with so much in it again for each of the first blocks.
  ends.forEach((end, i) => {
    const line = before + i + 1
    if (i === firstBad) throw lineError(file, line, notUtf8)
    const from = i === 0 ? 0 : ends[i - 1]! + 1
    const to = end > from && bytes[end - 1] === RETURN ? end - 1 : end
    const source = bytes.toString(encoding, from, to)
    if (source.trim() === '') return
    entries.push(
      format === 'jsonl' ? jsonText(file, source, line, fields) : tsvText(file, source, line),
    )
  })
  return entries
}

/** Returns the positions of the line breaks, and the end of a last line without one. */
function lineEnds(bytes: Buffer): number[] {
  const ends: number[] = []
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) ends.push(at)
  if (bytes.length > 0 && bytes.at(-1) !== NEWLINE) ends.push(bytes.length)
  return ends
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

/** Parses a text of BEIR: `{"_id", "title", "text"}` (or `id`, and Pyserini's `contents`). */
function jsonText(
  file: string,
  source: string,
  line: number,
  fields: readonly string[],
): TextEntry {
  const value = parseJsonLine(file, line, source)
  const id = jsonId(file, line, '_id', value['_id'] ?? value['id'])
  const text = value['text'] ?? value['contents']
  if (typeof text !== 'string')
    throw lineError(file, line, noString('text or contents', text, value))
  const title = value['title'] ?? ''
  if (typeof title !== 'string') throw lineError(file, line, noString('title', title, value))
  const entry = title === '' ? { id, text } : { id, title, text }
  return fields.length > 0 ? { ...entry, fields: fieldsOf(file, line, value, fields) } : entry
}

/** Returns the requested fields of an entry or of its metadata that have a value. */
function fieldsOf(
  file: string,
  line: number,
  value: Record<string, unknown>,
  names: readonly string[],
): NonNullable<TextEntry['fields']> {
  const metadata = (value['metadata'] ?? {}) as Record<string, unknown>
  const found = names.flatMap((name) => {
    const own = Object.hasOwn(value, name) ? value[name] : undefined
    const one = own ?? (Object.hasOwn(metadata, name) ? metadata[name] : undefined) ?? undefined
    if (one === undefined) return []
    if (typeof one !== 'object') return [[name, one]]
    const got = JSON.stringify(one).slice(0, 40)
    const problem = `field ${JSON.stringify(name)} must be a string or a number, got ${got}`
    throw lineError(file, line, problem)
  })
  return Object.fromEntries(found)
}

/**
 * Describes the problem of a field that should be a string; for a missing field, names the fields
 * that exist.
 */
function noString(field: string, found: unknown, value: Record<string, unknown>): string {
  const expected = `${field} must be a string`
  if (found !== undefined && found !== null)
    return `${expected}, got ${JSON.stringify(found).slice(0, 40)}`
  return `${expected}; the line has the fields ${Object.keys(value).join(', ')}`
}

/** Parses a text of MS MARCO: id and text, separated by a tab. */
function tsvText(file: string, source: string, line: number): TextEntry {
  const fields = source.split('\t')
  if (fields.length !== 2)
    throw lineError(
      file,
      line,
      `expected 2 fields, got ${fields.length}; each line needs: id, tab, text`,
    )
  const id = fields[0]!.trim()
  if (id === '') throw lineError(file, line, 'the id is empty')
  return { id, text: fields[1]! }
}
