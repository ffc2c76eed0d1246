import { FileError, Header, writeAtomic } from '@kith/base'
import type { RowGroup } from 'hyparquet'
import { ParquetWriter } from 'hyparquet-writer'
import { idNames, vectorNames } from '../embeddings/vectors-jsonl.ts'
import type { TextEntry } from '../texts/texts.ts'
import { columnPages, pick, readFooter } from './parquet.ts'
import { type Column, decodeTexts, depthOf, frameDocument, topColumns } from './parquet-column.ts'
import { ParquetParts, textColumn } from './parquet-writer.ts'

/** Maximum number of rows and characters in a row group: a reader decodes a whole group. */
const GROUP = { rows: 1 << 16, characters: 1 << 24 }

/** Maximum size of a page in bytes; no page of texts comes near it. */
const LARGEST_PAGE = 2 ** 30

/**
 * Reads texts from Parquet rows, one row group at a time: a column of ids, `text` or `contents`,
 * and `title` if there is one. In a run with texts, the first row of a document counts. A row whose
 * text is null is skipped.
 */
export function* readParquetTexts(file: string): Generator<TextEntry> {
  const { schema, row_groups: groups } = Header.read(file, readFooter)
  const columns = topColumns(schema).filter((column) => depthOf(column).repetition === 0)
  const frame = frameDocument(columns)
  const id = frame ?? pick(file, columns, undefined, idNames, 'ids')
  const text = pickText(file, columns)
  const title = columns.find(({ name }) => name === 'title')
  const seen = new Set<string>()
  let start = 0
  for (const group of groups) {
    const [ids, texts, titles] = Header.read(file, (header) =>
      [id, text, title].map((column) => column && textsOf(header, group, column)),
    )
    for (const [i, own] of ids!.entries()) {
      const row = `row ${start + i}`
      if (own === undefined || own === '') throw new FileError(file, row, 'the id is null or empty')
      if (frame && seen.has(own)) continue
      const found = texts![i]
      if (found === undefined) continue
      if (frame) seen.add(own)
      const head = titles?.[i]
      yield head ? { id: own, title: head, text: found } : { id: own, text: found }
    }
    start += ids!.length
  }
}

/**
 * Returns which columns of documents the rows of a run have; a column that is all null does not
 * count.
 */
export function frameColumns(file: string): { vector: boolean; text: boolean; title: boolean } {
  const columns = topColumns(Header.read(file, readFooter).schema)
  const has = (...names: string[]) => columns.some(({ name }) => names.includes(name))
  const text = has('text', 'contents') && !readParquetTexts(file).next().done
  return { vector: has(...vectorNames), text, title: text && has('title') }
}

function textsOf(header: Header, group: RowGroup, column: Column): (string | undefined)[] {
  const texts = decodeTexts(columnPages(header, group, column, LARGEST_PAGE), column)
  if (BigInt(texts.length) === group.num_rows) return texts
  const problem = `expected ${group.num_rows} rows, got ${texts.length}`
  throw new FileError(header.file, `column ${column.name}`, problem)
}

function pickText(file: string, columns: readonly Column[]): Column {
  const found = ['text', 'contents']
    .map((name) => columns.find((column) => column.name === name))
    .find((column) => column !== undefined)
  if (found) return found
  const all = columns.map(({ name }) => name).join(', ') || 'none'
  throw new FileError(file, '', `no column text for the texts; the columns are ${all}`)
}

/** Writes texts as Parquet rows: _id, title and text; the title is null if a text has none. */
export async function writeParquetTexts(
  file: string,
  entries: AsyncIterable<TextEntry>,
): Promise<void> {
  await writeAtomic(file, async (write) => {
    const writer = new ParquetWriter({
      writer: new ParquetParts(write),
      schema: [
        { name: 'root', num_children: 3 },
        textColumn('_id'),
        textColumn('title', 'OPTIONAL'),
        textColumn('text'),
      ],
    })
    let group: TextEntry[] = []
    let characters = 0
    const writeGroup = async (): Promise<void> => {
      const columnData = [
        { name: '_id', data: group.map(({ id }) => id) },
        { name: 'title', data: group.map(({ title }) => title || null) },
        { name: 'text', data: group.map(({ text }) => text) },
      ]
      await writer.write({ columnData, rowGroupSize: group.length })
      group = []
      characters = 0
    }
    for await (const entry of entries) {
      group.push(entry)
      characters += entry.text.length
      if (group.length >= GROUP.rows || characters >= GROUP.characters) await writeGroup()
    }
    if (group.length > 0) await writeGroup()
    await writer.finish()
  })
}
