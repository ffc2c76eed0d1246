import { join } from 'node:path'
import { FileError, Header } from '@kith/base'
import { IdList } from '../io/id-list.ts'
import { type EmbeddingIds, listedIds } from './embedding-ids.ts'
import type { RawLayout } from './raw-rows.ts'

/** The files of the folders that the paper's program writes: raw float32, and int32 ids. */
export function memmapFiles(folder: string): { vectors: string; ids: string } {
  return { vectors: join(folder, 'embedding.memmap'), ids: join(folder, 'ids.memmap') }
}

/** Looks at the vectors of such a folder. Nothing in it says the dimension: the caller must. */
export function memmapLayout(folder: string, dimensions: number | undefined): RawLayout {
  if (dimensions === undefined) {
    throw new FileError(folder, '', 'memmap files do not say their dimension: set `dimensions`')
  }
  const file = memmapFiles(folder).vectors
  return Header.read(file, (header) => {
    const rows = header.size / (dimensions * 4)
    if (!Number.isInteger(rows)) {
      const problem = `${header.size} bytes are no whole number of rows of ${dimensions} dimensions`
      throw new FileError(file, '', problem)
    }
    return { file, offset: 0, rows, dimensions, stored: 'f32', counted: false }
  })
}

/** Reads the ids of such a folder. */
export function readMemmapIds(folder: string, rows: number): EmbeddingIds {
  const file = memmapFiles(folder).ids
  const bytes = Header.read(file, (header) => {
    if (header.size === rows * 4) return header.bytes(0, header.size)
    throw new FileError(file, '', `has ${header.size / 4} ids, the vectors have ${rows} rows`)
  })
  const list = new IdList()
  for (let row = 0; row < rows; row++) list.pushText(String(bytes.readInt32LE(row * 4)))
  return listedIds(
    list,
    (id, row, first) =>
      new FileError(file, `row ${row}`, `the id ${id} was in row ${first} already`),
  )
}

/** Ids as int32. */
export function memmapIds(file: string, ids: readonly string[]): Uint8Array {
  const numbers = Int32Array.from(ids, Number)
  ids.forEach((id, row) => {
    if (String(numbers[row]) === id) return
    throw new FileError(file, `row ${row}`, `the id ${JSON.stringify(id)} is no int32`)
  })
  return new Uint8Array(numbers.buffer)
}
