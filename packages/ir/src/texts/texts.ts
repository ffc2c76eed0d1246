import { FileError, isIllFormed, writeAtomic } from '@kith/base'
import { KithError } from '@kith/core'
import { checkEnding } from '../io/endings.ts'
import { entriesOf, readTextBlocks } from './text-blocks.ts'
import {
  flattenForTopic,
  formatDocument,
  formatTopic,
  lostInDocument,
  lostInTopic,
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
  options: ReadTextsOptions = {},
): AsyncGenerator<TextEntry> {
  for await (const block of readTextBlocks(file, options)) yield* entriesOf(block)
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

/** Formats a text as a line of BEIR's JSONL. */
function formatTextJson({ id, title, text }: TextEntry): string {
  const entry = title === undefined ? { _id: id, text } : { _id: id, title, text }
  return `${JSON.stringify(entry)}\n`
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
