import { isUtf8 } from 'node:buffer'
import { firstBadLine, lineEnd, lineError, notUtf8 } from '@kith/base'
import type { Utf16Text } from '@kith/core/internal'
import { IdList } from '../io/id-list.ts'
import { jsonId, parseJsonLine } from '../io/json-line.ts'
import { LineKernel } from '../io/line-kernel.ts'
import type { TextEntry } from './texts.ts'

/** A file with a text in each line, in JSON or in two columns. */
export interface LineFormat {
  file: string
  format: 'jsonl' | 'tsv'
  /** Names of further fields to read. */
  fields: readonly string[]
}

/** The receiver of texts. */
export interface TextSink {
  /** Gets a text whose id is in a list; both are valid during the call. */
  text(ids: IdList, index: number, text: Utf16Text): void
  /** Gets a text that was read as strings. */
  entry(entry: TextEntry): void
}

const NEWLINE = 10
const RETURN = 13

/** Bytes that the kernel reads at a time, unless a line is longer. */
const WINDOW = 1 << 18

/** Texts that the kernel reads at a time, and numbers of the record of each. */
const MOST = 1 << 13
const RECORD = 8

/** The length of a text that the kernel does not read. */
const UNREAD = 2 ** 32 - 1

/** Bytes that the kernel may read or write behind what it was given. */
const SPARE = 64

/** A kernel whose memory a long line has made larger than this is not kept. */
const KEPT = 16 << 20

let kernel: LineKernel | undefined
const ids = new IdList()

/**
 * Reads a text of each line. A kernel reads them as UTF-16, except for lines with numbers, unusual
 * escapes or mistakes.
 *
 * @param before The number of lines before these.
 */
export function readTextLines(
  form: LineFormat,
  before: number,
  bytes: Buffer,
  sink: TextSink,
): void {
  if (!isUtf8(bytes)) {
    // One of these lines is an error.
    for (const entry of parseLines(form, before, bytes)) sink.entry(entry)
    return
  }
  if (kernel && kernel.bytes.length > KEPT) kernel = undefined
  let line = before
  for (let from = 0; from < bytes.length; ) {
    const most = from + WINDOW
    const cut = most < bytes.length ? bytes.lastIndexOf(NEWLINE, most - 1) + 1 : bytes.length
    const to = cut > from ? cut : lineEnd(bytes, from) + 1
    from += readWindow(form, line, bytes.subarray(from, to), sink)
    line += kernel!.exports.textLines()
  }
}

/** Reads whole lines; returns the number of bytes that were read. */
function readWindow(form: LineFormat, before: number, lines: Buffer, sink: TextSink): number {
  kernel ??= new LineKernel()
  kernel.release()
  const { length } = lines
  const at = kernel.take(length + SPARE)
  const records = kernel.take(MOST * RECORD * 4)
  const out = kernel.take(2 * length + SPARE)
  kernel.bytes.set(lines, at)
  // The last line of a file may have no line break.
  kernel.bytes[at + length] = NEWLINE
  const isTsv = Number(form.format === 'tsv')
  const count = kernel.exports.readTexts(at, at + length, isTsv, MOST, records, out)
  const { words } = kernel
  for (let i = 0; i < count; i++) {
    const record = records / 4 + i * RECORD
    if (words[record + 6] === UNREAD) {
      const source = lineAt(lines, words[record]!, words[record + 1]!)
      const entry = parseLine(form, source, before + words[record + 7]! + 1)
      if (entry) sink.entry(entry)
      continue
    }
    ids.clear()
    ids.push(lines, words[record + 2]!, words[record + 3]!)
    const start = out / 2 + words[record + 4]!
    const units = kernel.units.subarray(start, start + words[record + 6]!)
    sink.text(ids, 0, { units, start: words[record + 5]! })
  }
  return Math.min(kernel.exports.textBytes(), length)
}

/**
 * Parses a text of each line.
 *
 * @param before The number of lines before these.
 */
export function parseLines(form: LineFormat, before: number, bytes: Buffer): TextEntry[] {
  const entries: TextEntry[] = []
  const firstBad = before + firstBadLine(bytes)
  for (let from = 0, line = before; from < bytes.length; line++) {
    const to = lineEnd(bytes, from)
    if (line === firstBad) throw lineError(form.file, line + 1, notUtf8)
    const entry = parseLine(form, lineAt(bytes, from, to), line + 1)
    if (entry) entries.push(entry)
    from = to + 1
  }
  return entries
}

/** Returns a line without its line break. */
function lineAt(bytes: Buffer, from: number, to: number): string {
  return bytes.toString('utf8', from, to > from && bytes[to - 1] === RETURN ? to - 1 : to)
}

/** Parses the text of a line; undefined if the line is blank. */
function parseLine(
  { file, format, fields }: LineFormat,
  source: string,
  line: number,
): TextEntry | undefined {
  if (source.trim() === '') return undefined
  return format === 'jsonl' ? jsonText(file, source, line, fields) : tsvText(file, source, line)
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
