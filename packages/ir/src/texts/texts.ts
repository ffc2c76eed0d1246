import { FileError, InputFile, isIllFormed, lineError, mapLines, writeAtomic } from '@kith/base'
import { KithError } from '@kith/core'
import { checkEnding } from '../io/endings.ts'
import { jsonId, parseJsonLine } from '../io/json-line.ts'
import {
  flattenForTopic,
  formatDocument,
  formatTopic,
  lostInDocument,
  lostInTopic,
  readSgmlTexts,
} from './texts-sgml.ts'

/** A document of a corpus, or a query. */
export interface TextEntry {
  id: string
  title?: string
  text: string
  /** The values of further fields, if they were requested and the entry has them. */
  fields?: Readonly<Record<string, string | number | boolean>>
}

/**
 * `jsonl`: BEIR; `tsv`: MS MARCO, id and text; `sgml`: TREC documents or topics; `parquet`: rows.
 */
export type TextFormat = 'jsonl' | 'tsv' | 'sgml' | 'parquet'

/** Options for reading texts. */
export interface ReadTextsOptions {
  /** The format; by default, the first bytes determine it. */
  format?: TextFormat | undefined
  /** Names of further fields to read, of an entry or of its `metadata`; JSONL only. */
  fields?: readonly string[] | undefined
}

/**
 * Reads a corpus or queries, text by text.
 *
 * ```ts
 * for await (const { id, title, text } of readTexts('corpus.jsonl')) console.log(id, title, text)
 * ```
 */
export async function* readTexts(
  file: string,
  { format, fields = [] }: ReadTextsOptions = {},
): AsyncGenerator<TextEntry> {
  const input = new InputFile(file)
  const chosen = format ?? (await detectTexts(input))
  if (fields.length > 0 && chosen !== 'jsonl') {
    await input.close()
    const problem = `only texts in JSONL have fields such as ${JSON.stringify(fields[0])} (read as ${chosen})`
    throw new FileError(input.name, '', `${problem}; convert the file to JSONL`)
  }
  const entries = readers[chosen]?.(input, fields)
  if (!entries) {
    throw new KithError(
      'BAD_SETTING',
      `text format must be jsonl, tsv, sgml or parquet, got ${chosen}`,
    )
  }
  let count = 0
  for await (const entry of entries) {
    count++
    yield entry
  }
  if (count === 0) throw new FileError(input.name, '', `contains no texts (read as ${chosen})`)
}

/** The layout of written texts: SGML has one layout for documents and one for topics. */
export type TextLayout = 'jsonl' | 'tsv' | 'documents' | 'topics' | 'parquet'

/** Options for writing texts. */
export interface WriteTextsOptions {
  /** The layout. By default, `.tsv` means TSV, `.parquet` Parquet, and every other name JSONL. */
  format?: TextLayout | undefined
  /**
   * Whether to convert texts that the format cannot express: titles in TSV or topics, tabs and line
   * breaks in TSV. If set, titles join the text and breaks become spaces; otherwise, such a text is
   * an error.
   */
  flatten?: boolean | undefined
}

/**
 * Writes a corpus or queries; throws if a text could not be read back unchanged.
 *
 * ```ts
 * await writeTexts('queries.tsv', [{ id: 'q1', text: 'how do bees find flowers' }])
 * ```
 */
export async function writeTexts(
  file: string,
  entries: Iterable<TextEntry> | AsyncIterable<TextEntry>,
  { format, flatten = false }: WriteTextsOptions = {},
): Promise<void> {
  const chosen = format ?? layoutByName(file)
  const layout = layouts[chosen]
  if (!layout) {
    const allowed = Object.keys(layouts).join(', ')
    throw new KithError('BAD_SETTING', `text format must be one of ${allowed}, got ${chosen}`)
  }
  const fitting = fittingTexts(file, entries, layout, flatten)
  const { write: formatted } = layout
  if (formatted) {
    await writeAtomic(file, async (write) => {
      for await (const entry of fitting) await write(formatted(entry))
    })
  } else {
    // Loaded here, since most programs do not write Parquet, and its libraries have many files.
    const { writeParquetTexts } = await import('../parquet/parquet-texts.ts')
    await writeParquetTexts(file, fitting)
  }
}

function layoutByName(file: string): TextLayout {
  checkEnding(file, { content: 'texts', fits: ['jsonl', 'tsv', 'parquet', 'json', 'ndjson'] })
  if (/\.parquet$/i.test(file)) return 'parquet'
  return /\.tsv(\.gz)?$/i.test(file) ? 'tsv' : 'jsonl'
}

/**
 * Yields the texts in a form that a layout can express; throws if a part of a text would be lost.
 */
async function* fittingTexts(
  file: string,
  entries: Iterable<TextEntry> | AsyncIterable<TextEntry>,
  layout: Layout,
  flatten: boolean,
): AsyncGenerator<TextEntry> {
  let count = 0
  for await (const entry of entries) {
    count++
    const { id, title = '', text } = entry
    const flat = flatten ? (layout.flatten?.(entry) ?? entry) : entry
    const lost = isIllFormed(id + title + text)
      ? 'the text contains half a surrogate pair'
      : layout.lost?.(flat)
    if (lost !== undefined) {
      const fits = layout.flatten && layout.lost?.(layout.flatten(entry)) === undefined
      const more = fits ? '; flatten joins titles and texts and turns line breaks into spaces' : ''
      throw new FileError(file, `text ${count}`, `${JSON.stringify(id)}: ${lost}${more}`)
    }
    yield flat
  }
}

type Reader = (input: InputFile, fields: readonly string[]) => AsyncGenerator<TextEntry>

const readers: Record<TextFormat, Reader> = {
  jsonl: readJsonTexts,
  tsv: readTsvTexts,
  sgml: readSgmlTexts,
  parquet: readParquet,
}

/** A layout: how to write a text, which parts would be lost, and how to convert them. */
interface Layout {
  /** Formats a text; undefined for a layout that is not written text by text. */
  write?(entry: TextEntry): string
  lost?(entry: TextEntry): string | undefined
  flatten?(entry: TextEntry): TextEntry
}

const layouts: Record<TextLayout, Layout> = {
  jsonl: { write: formatTextJson },
  tsv: { write: formatTextLine, lost: lostInTsv, flatten: flattenForTsv },
  documents: { write: formatDocument, lost: lostInDocument },
  topics: { write: formatTopic, lost: lostInTopic, flatten: flattenForTopic },
  parquet: { lost: ({ id }) => (id === '' ? 'the id is empty' : undefined) },
}

async function detectTexts(input: InputFile): Promise<TextFormat> {
  const start = (await input.start()).toString('latin1', 0, 4096).trimStart()
  if (start.startsWith('{')) return 'jsonl'
  if (start.startsWith('PAR1')) return 'parquet'
  return /^(<[?!][^>]*>\s*)*<(doc|top|[a-z]+>\s*<(doc|top))\b/i.test(start) ? 'sgml' : 'tsv'
}

async function* readParquet(input: InputFile): AsyncGenerator<TextEntry> {
  await input.close()
  // Loaded here, since most programs do not read Parquet, and its libraries have many files.
  const { readParquetTexts } = await import('../parquet/parquet-texts.ts')
  yield* readParquetTexts(input.name)
}

/** Reads BEIR texts: `{"_id", "title", "text"}` per line (or `id`, and Pyserini's `contents`). */
async function* readJsonTexts(
  input: InputFile,
  fields: readonly string[],
): AsyncGenerator<TextEntry> {
  const file = input.name
  yield* mapLines(input, (source, line) => {
    if (source.trim() === '') return undefined
    const value = parseJsonLine(file, line, source)
    const id = jsonId(file, line, '_id', value['_id'] ?? value['id'])
    const text = value['text'] ?? value['contents']
    if (typeof text !== 'string')
      throw lineError(file, line, noString('text or contents', text, value))
    const title = value['title'] ?? ''
    if (typeof title !== 'string') throw lineError(file, line, noString('title', title, value))
    const entry = title === '' ? { id, text } : { id, title, text }
    return fields.length > 0 ? { ...entry, fields: fieldsOf(file, line, value, fields) } : entry
  })
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

/** Formats a text as a line of BEIR's JSONL. */
function formatTextJson({ id, title, text }: TextEntry): string {
  const entry = title === undefined ? { _id: id, text } : { _id: id, title, text }
  return `${JSON.stringify(entry)}\n`
}

/** Reads MS MARCO texts: id and text per line, separated by a tab. */
async function* readTsvTexts(input: InputFile): AsyncGenerator<TextEntry> {
  const file = input.name
  yield* mapLines(input, (source, line) => {
    if (source.trim() === '') return undefined
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
  })
}

/** Formats a text as a line of TSV. */
function formatTextLine({ id, text }: TextEntry): string {
  return `${id}\t${text}\n`
}

/** Returns the reason why a text cannot be read back from TSV unchanged; undefined if it can. */
function lostInTsv({ id, title, text }: TextEntry): string | undefined {
  if (id === '' || id !== id.trim() || /[\t\r\n]/.test(id))
    return 'the id does not fit into a column'
  // A file that begins with one of these characters is read as JSON or SGML.
  if (/^[{<]/.test(id)) return `no line may start with ${JSON.stringify(id[0])}`
  if (title) return 'TSV cannot express titles'
  return /[\t\r\n]/.test(text) ? 'TSV cannot express tabs and line breaks in texts' : undefined
}

/** Converts a text for TSV: the title joins the text, and tabs and line breaks become spaces. */
function flattenForTsv({ id, title, text }: TextEntry): TextEntry {
  const whole = title ? `${title} ${text}` : text
  return { id, text: whole.replace(/[\t\r\n]+/g, ' ') }
}
