import { KithError } from '@kith/core'
import { FileError } from './file-error.ts'
import { peek } from './read-chunks.ts'
import { formatTextJson, readJsonTexts } from './texts-jsonl.ts'
import { formatDocument, formatTopic, readSgmlTexts } from './texts-sgml.ts'
import { formatTextLine, readTsvTexts } from './texts-tsv.ts'
import { writeWhole } from './write-whole.ts'

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
  const chosen = format ?? (await detectTexts(file))
  const entries = readers[chosen]?.(file)
  if (!entries) {
    throw new KithError('BAD_SETTING', `text format ${chosen}, allowed: jsonl, tsv, sgml`)
  }
  let count = 0
  for await (const entry of entries) {
    count++
    yield entry
  }
  if (count === 0) throw new FileError(file, '', `holds no texts (read as ${chosen})`)
}

/** How a text is written: SGML has one layout for documents and one for topics. */
export type TextLayout = 'jsonl' | 'tsv' | 'documents' | 'topics'

/** Writes a corpus or queries; without a format, `.tsv` means TSV and the rest JSONL. */
export async function writeTexts(
  file: string,
  entries: Iterable<TextEntry> | AsyncIterable<TextEntry>,
  { format }: { format?: TextLayout | undefined } = {},
): Promise<void> {
  const chosen = format ?? (/\.tsv(\.gz)?$/i.test(file) ? 'tsv' : 'jsonl')
  const layout = layouts[chosen]
  if (!layout) {
    const allowed = Object.keys(layouts).join(', ')
    throw new KithError('BAD_SETTING', `text format ${chosen}, allowed: ${allowed}`)
  }
  await writeWhole(file, async (write) => {
    for await (const entry of entries) await write(layout(entry))
  })
}

const readers: Record<TextFormat, (file: string) => AsyncGenerator<TextEntry>> = {
  jsonl: readJsonTexts,
  tsv: readTsvTexts,
  sgml: readSgmlTexts,
}

const layouts: Record<TextLayout, (entry: TextEntry) => string> = {
  jsonl: formatTextJson,
  tsv: formatTextLine,
  documents: formatDocument,
  topics: formatTopic,
}

async function detectTexts(file: string): Promise<TextFormat> {
  const start = (await peek(file)).toString('latin1', 0, 4096).trimStart()
  if (start.startsWith('{')) return 'jsonl'
  return /^(<[?!][^>]*>\s*)*<(doc|top|[a-z]+>\s*<(doc|top))\b/i.test(start) ? 'sgml' : 'tsv'
}
