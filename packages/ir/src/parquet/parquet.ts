import { FileError, Header } from '@kith/base'
import type { FileEmbeddings } from '../embeddings/embeddings.ts'
import { RowCollector } from '../embeddings/row-collector.ts'
import { idNames, vectorNames } from '../embeddings/vectors-jsonl.ts'
import {
  type Column,
  decodeIds,
  decodeVectors,
  depthOf,
  topColumns,
  valueTypeOf,
} from './parquet-column.ts'
import { columnPages, readFooter } from './parquet-file.ts'
import type { Page } from './parquet-pages.ts'

/** Reads a Parquet file with an id column and a column of lists, a row group at a time. */
export function readParquetVectors(
  file: string,
  budget: number,
  { idColumn, vectorColumn }: { idColumn?: string | undefined; vectorColumn?: string | undefined },
): FileEmbeddings {
  return Header.read(file, (header) => {
    const metadata = readFooter(header)
    const columns = topColumns(metadata.schema)
    const single = columns.filter((column) => depthOf(column).repetition === 0)
    const lists = columns.filter((column) => depthOf(column).repetition === 1)
    const id = pick(file, single, idColumn, idNames, 'ids')
    const vector = pick(file, lists, vectorColumn, vectorNames, 'vectors')
    const half = vector.elements.at(-1)!.logical_type?.type === 'FLOAT16'
    const collector = new RowCollector(file, budget, half ? 'f16' : 'f32')
    let row = 0
    for (const group of metadata.row_groups) {
      // A page is a small part of what is loaded in the end; nothing beyond that is allocated.
      const limit = budget * 2 + 2 ** 20
      const pagesOf = (column: Column): Generator<Page> => columnPages(header, group, column, limit)
      const ids = decodeIds(pagesOf(id), valueTypeOf(id))
      const start = row
      for (const values of decodeVectors(pagesOf(vector), valueTypeOf(vector))) {
        collector.add(ids[row - start] ?? '', values, `row ${row}`)
        row++
      }
      if (row - start !== ids.length || BigInt(ids.length) !== group.num_rows) {
        const found = `${row - start} vectors and ${ids.length} ids, expected ${group.num_rows}`
        throw new FileError(file, `row group at row ${start}`, found)
      }
    }
    return collector.finish()
  })
}

function pick(
  file: string,
  columns: readonly Column[],
  wanted: string | undefined,
  names: readonly string[],
  what: string,
): Column {
  const named = (name: string) => columns.find((column) => column.name === name)
  const only = columns.length === 1 ? columns[0] : undefined
  const found = wanted === undefined ? (names.map(named).find(Boolean) ?? only) : named(wanted)
  if (found) return found
  const known = columns.map(({ name }) => name).join(', ') || 'none'
  throw new FileError(
    file,
    '',
    `no column ${wanted ?? names[0]} for the ${what}, there is: ${known}`,
  )
}
