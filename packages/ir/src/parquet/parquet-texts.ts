import { FileError, Header } from '@kith/base'
import type { RowGroup } from 'hyparquet'
import { idNames } from '../embeddings/vectors-jsonl.ts'
import type { TextEntry } from '../texts/texts.ts'
import { columnPages, pick, readFooter } from './parquet.ts'
import { type Column, decodeTexts, depthOf, frameDocument, topColumns } from './parquet-column.ts'

/** No page of texts comes near this size, in bytes. */
const LARGEST_PAGE = 2 ** 30

/**
 * Reads texts of Parquet rows, a row group at a time: a column of ids, `text` or `contents`, and
 * `title` if there is one. In a run with texts, the first row of a document counts. A row whose text
 * is null is passed over.
 */
export function* readParquetTexts(file: string): Generator<TextEntry> {
  const { schema, row_groups: groups } = Header.read(file, readFooter)
  const columns = topColumns(schema).filter((column) => depthOf(column).repetition === 0)
  const frame = frameDocument(columns)
  const id = frame ?? pick(file, columns, undefined, idNames, 'ids')
  const text = textColumn(file, columns)
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

function textsOf(header: Header, group: RowGroup, column: Column): (string | undefined)[] {
  const texts = decodeTexts(columnPages(header, group, column, LARGEST_PAGE), column)
  if (BigInt(texts.length) === group.num_rows) return texts
  const problem = `expected ${group.num_rows} rows, got ${texts.length}`
  throw new FileError(header.file, `column ${column.name}`, problem)
}

function textColumn(file: string, columns: readonly Column[]): Column {
  const found = ['text', 'contents']
    .map((name) => columns.find((column) => column.name === name))
    .find((column) => column !== undefined)
  if (found) return found
  const all = columns.map(({ name }) => name).join(', ') || 'none'
  throw new FileError(file, '', `no column text for the texts; the columns are ${all}`)
}
