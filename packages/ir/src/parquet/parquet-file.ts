import { FileError, type Header } from '@kith/base'
import { type FileMetaData, parquetMetadata, type RowGroup } from 'hyparquet'
import { type Column, depthOf } from './parquet-column.ts'
import { type Page, readPages } from './parquet-pages.ts'
import { checkThrift } from './thrift-check.ts'

/** The metadata at the end of a Parquet file, checked before they are used. */
export function readFooter(header: Header): FileMetaData {
  const { file, size } = header
  const end = header.bytes(Math.max(0, size - 8), Math.min(size, 8))
  if (end.toString('latin1', 4) !== 'PAR1')
    throw new FileError(file, '', 'does not end as Parquet does')
  const length = end.readUInt32LE()
  if (length > size - 8) {
    throw new FileError(
      file,
      `byte ${size - 8}`,
      `a footer of ${length} bytes, the file has ${size}`,
    )
  }
  const footer = header.bytes(size - 8 - length, length + 8)
  checkThrift(footer.subarray(0, length), 0)
  // Looking for maps walks over the schema by counts that it does not check, in a circle if need be.
  const metadata = parquetMetadata(new Uint8Array(footer).buffer, { geoparquet: false })
  const rows = metadata.row_groups.reduce((sum, { num_rows: more }) => sum + more, 0n)
  if (rows === metadata.num_rows) return metadata
  throw new FileError(file, '', `has ${metadata.num_rows} rows, its row groups have ${rows}`)
}

/** The pages of one column in one row group; none may unpack to more than `limit` bytes. */
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
    const problem = `bytes ${start} to ${start + length}, the file has ${header.size}`
    throw new FileError(header.file, `column ${column.name}`, problem)
  }
  yield* readPages(header.bytes(start, length), chunk, depthOf(column), limit)
}
