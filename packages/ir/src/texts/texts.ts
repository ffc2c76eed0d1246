import { FileError, InputFile, isIllFormed, writeAtomic } from '@kith/base'
import { KithError } from '@kith/core'
import { formatTextJson, readJsonTexts } from './texts-jsonl.ts'
import {
  flattenForTopic,
  formatDocument,
  formatTopic,
  lostInDocument,
  lostInTopic,
  readSgmlTexts,
} from './texts-sgml.ts'
import { flattenForTsv, formatTextLine, lostInTsv, readTsvTexts } from './texts-tsv.ts'

/** A document of a corpus, or a query. */
export interface TextEntry {
  id: string
  title?: string
  text: string
}

/** `jsonl`: BEIR; `tsv`: MS MARCO, id and text; `sgml`: TREC documents or topics. */
export type TextFormat = 'jsonl' | 'tsv' | 'sgml'

/** Reads a corpus or queries one by one; without a format, the first bytes tell it. */
export async function* readTexts(
  file: string,
  { format }: { format?: TextFormat | undefined } = {},
): AsyncGenerator<TextEntry> {
  const input = new InputFile(file)
  const chosen = format ?? (await detectTexts(input))
  const entries = readers[chosen]?.(input)
  if (!entries) {
    throw new KithError('BAD_SETTING', `text format ${chosen}, allowed: jsonl, tsv, sgml`)
  }
  let count = 0
  for await (const entry of entries) {
    count++
    yield entry
  }
  if (count === 0) throw new FileError(input.name, '', `holds no texts (read as ${chosen})`)
}

/** How a text is written: SGML has one layout for documents and one for topics. */
export type TextLayout = 'jsonl' | 'tsv' | 'documents' | 'topics'

/** How texts are written. */
export interface WriteTextsOptions {
  /** Without one, `.tsv` means TSV and every other ending JSONL. */
  format?: TextLayout | undefined
  /**
   * The treatment of a text that the format has no place for: a title in TSV or topics, tabs and line
   * breaks in TSV. With it, titles join the text and breaks become spaces; without, it is an error.
   */
  flatten?: boolean | undefined
}

/** Writes a corpus or queries so that reading gives the same texts; a text that would change is an error. */
export async function writeTexts(
  file: string,
  entries: Iterable<TextEntry> | AsyncIterable<TextEntry>,
  { format, flatten = false }: WriteTextsOptions = {},
): Promise<void> {
  const chosen = format ?? (/\.tsv(\.gz)?$/i.test(file) ? 'tsv' : 'jsonl')
  const layout = layouts[chosen]
  if (!layout) {
    const allowed = Object.keys(layouts).join(', ')
    throw new KithError('BAD_SETTING', `text format ${chosen}, allowed: ${allowed}`)
  }
  await writeAtomic(file, async (write) => {
    let count = 0
    for await (const entry of entries) {
      count++
      const { id, title = '', text } = entry
      const flat = flatten ? (layout.flatten?.(entry) ?? entry) : entry
      const lost = isIllFormed(id + title + text)
        ? 'it has half a surrogate pair, which is no character'
        : layout.lost?.(flat)
      if (lost !== undefined) {
        const fits = layout.flatten && layout.lost?.(layout.flatten(entry)) === undefined
        const more = fits ? ' (flatten joins titles to texts and makes breaks spaces)' : ''
        throw new FileError(file, `text ${count}`, `${JSON.stringify(id)}: ${lost}${more}`)
      }
      await write(layout.write(flat))
    }
  })
}

const readers: Record<TextFormat, (input: InputFile) => AsyncGenerator<TextEntry>> = {
  jsonl: readJsonTexts,
  tsv: readTsvTexts,
  sgml: readSgmlTexts,
}

/** A layout: how a text is written, which parts would be lost, and how these can be fitted in. */
interface Layout {
  write(entry: TextEntry): string
  lost?(entry: TextEntry): string | undefined
  flatten?(entry: TextEntry): TextEntry
}

const layouts: Record<TextLayout, Layout> = {
  jsonl: { write: formatTextJson },
  tsv: { write: formatTextLine, lost: lostInTsv, flatten: flattenForTsv },
  documents: { write: formatDocument, lost: lostInDocument },
  topics: { write: formatTopic, lost: lostInTopic, flatten: flattenForTopic },
}

async function detectTexts(input: InputFile): Promise<TextFormat> {
  const start = (await input.start()).toString('latin1', 0, 4096).trimStart()
  if (start.startsWith('{')) return 'jsonl'
  return /^(<[?!][^>]*>\s*)*<(doc|top|[a-z]+>\s*<(doc|top))\b/i.test(start) ? 'sgml' : 'tsv'
}
