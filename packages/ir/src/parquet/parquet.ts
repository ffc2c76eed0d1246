import { FileError, Header } from '@kith/base'
import { type FileMetaData, parquetMetadata, type RowGroup } from 'hyparquet'
import type { FileEmbeddings } from '../embeddings/embeddings.ts'
import { idNames, RowCollector, vectorNames } from '../embeddings/vectors-jsonl.ts'
import {
  type Column,
  decodeIds,
  decodeVectors,
  depthOf,
  frameDocument,
  topColumns,
  valueTypeOf,
} from './parquet-column.ts'
import { type Page, readPages } from './parquet-pages.ts'
import { checkThrift } from './thrift-check.ts'

/**
 * Reads a Parquet file with an id column and a column of lists, one row group at a time. In a run
 * with vectors, the first row of a document counts.
 */
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
    const frame = idColumn === undefined ? frameDocument(single) : undefined
    const id = frame ?? pick(file, single, idColumn, idNames, 'ids')
    const vector = pick(file, lists, vectorColumn, vectorNames, 'vectors')
    const half = vector.elements.at(-1)!.logical_type?.type === 'FLOAT16'
    const collector = new RowCollector(file, budget, half ? 'f16' : 'f32')
    const seen = new Set<string>()
    let row = 0
    for (const group of metadata.row_groups) {
      // A page is a small part of the data that is loaded in the end; nothing beyond this limit is
      // allocated.
      const limit = budget * 2 + 2 ** 20
      const pagesOf = (column: Column): Generator<Page> => columnPages(header, group, column, limit)
      const ids = decodeIds(pagesOf(id), valueTypeOf(id))
      const start = row
      for (const values of decodeVectors(pagesOf(vector), valueTypeOf(vector))) {
        const own = ids[row - start] ?? ''
        if (!seen.has(own)) collector.add(own, values, `row ${row}`)
        if (frame) seen.add(own)
        row++
      }
      if (row - start !== ids.length || BigInt(ids.length) !== group.num_rows) {
        const found = `expected ${group.num_rows} vectors and ids, got ${row - start} vectors and ${ids.length} ids`
        throw new FileError(file, `row group at row ${start}`, found)
      }
    }
    return collector.finish()
  })
}

/**
 * Returns the column with a given name, or the first with one of some names, or the only column.
 */
export function pick(
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
    `no column ${wanted ?? names[0]} for the ${what}; usable columns: ${known}`,
  )
}

/** Reads the metadata at the end of a Parquet file, and checks it before use. */
export function readFooter(header: Header): FileMetaData {
  const { file, size } = header
  const end = header.bytes(Math.max(0, size - 8), Math.min(size, 8))
  if (end.toString('latin1', 4) !== 'PAR1')
    throw new FileError(file, '', 'is not a Parquet file: the last bytes are wrong')
  const length = end.readUInt32LE()
  if (length > size - 8) {
    throw new FileError(
      file,
      `byte ${size - 8}`,
      `the footer has ${length} bytes, but the file only ${size}`,
    )
  }
  const footer = header.bytes(size - 8 - length, length + 8)
  checkThrift(footer.subarray(0, length), 0)
  // `geoparquet` would search the schema by counts that it does not check, possibly in an endless
  // loop.
  const metadata = parquetMetadata(new Uint8Array(footer).buffer, { geoparquet: false })
  const rows = metadata.row_groups.reduce((sum, { num_rows: more }) => sum + more, 0n)
  if (rows === metadata.num_rows) return metadata
  throw new FileError(
    file,
    '',
    `expected ${metadata.num_rows} rows, but the row groups have ${rows}`,
  )
}

/**
 * Reads the pages of one column in one row group; no page may decompress to more than `limit`
 * bytes.
 */
export function* columnPages(
  header: Header,
  group: RowGroup,
  column: Column,
  limit: number,
): Generator<Page> {
  const found = group.columns.find((c) => c.meta_data?.path_in_schema[0] === column.name)
  const chunk = found?.meta_data
  if (!chunk) throw new FileError(header.file, `column ${column.name}`, 'is missing in a row group')
  const data = Number(chunk.data_page_offset)
  const dictionary = Number(chunk.dictionary_page_offset ?? 0n)
  const start = dictionary > 0 && dictionary < data ? dictionary : data
  const length = Number(chunk.total_compressed_size)
  if (!(start >= 0 && length >= 0 && start + length <= header.size)) {
    const problem = `bytes ${start} to ${start + length} are outside the file, which has ${header.size}`
    throw new FileError(header.file, `column ${column.name}`, problem)
  }
  yield* readPages(header.bytes(start, length), chunk, depthOf(column), limit)
}
