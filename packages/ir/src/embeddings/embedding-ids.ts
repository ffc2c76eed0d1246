import { existsSync, readdirSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { eachLine, FileError, findPath, InputFile, lineError, unpackedName } from '@kith/base'
import { IdIndex, type SharedIndex } from '../io/id-index.ts'
import { IdList } from '../io/id-list.ts'

/** The ids of the rows of a matrix. */
export interface EmbeddingIds {
  idOf(row: number): string
  rowOf(id: string): number | undefined
  /** Returns the row of an id in a list; -1 if there is none. */
  find(ids: IdList, index: number): number
  /** Returns the ids in a form that can be sent to a worker thread. */
  share(): SharedRowIds
}

/** The ids of rows in shared memory; without an index, ids are row numbers. */
export interface SharedRowIds {
  rows: number
  index: SharedIndex | undefined
}

/** Returns the ids that another thread shares. */
export function sharedRowIds({ rows, index }: SharedRowIds): EmbeddingIds {
  return index ? new IndexedIds(IdIndex.over(index)) : new RowNumbers(rows)
}

/** Row numbers as ids, which need no memory. */
export class RowNumbers implements EmbeddingIds {
  constructor(readonly rows: number) {}

  idOf(row: number): string {
    return String(row)
  }

  rowOf(id: string): number | undefined {
    const row = Number(id)
    return Number.isInteger(row) && row >= 0 && row < this.rows && String(row) === id
      ? row
      : undefined
  }

  find(ids: IdList, index: number): number {
    const row = ids.wholeNumber(index)
    return row < this.rows ? row : -1
  }

  share(): SharedRowIds {
    return { rows: this.rows, index: undefined }
  }
}

/** Ids that are known to be unique, and their index. */
class IndexedIds implements EmbeddingIds {
  readonly #index: IdIndex
  readonly #wanted = new IdList()

  constructor(index: IdIndex) {
    this.#index = index
  }

  idOf(row: number): string {
    return this.#index.list.get(row)
  }

  rowOf(id: string): number | undefined {
    this.#wanted.clear()
    this.#wanted.pushText(id)
    const row = this.#index.find(this.#wanted, 0)
    return row < 0 ? undefined : row
  }

  find(ids: IdList, index: number): number {
    return this.#index.find(ids, index)
  }

  share(): SharedRowIds {
    return { rows: this.#index.list.length, index: this.#index.share() }
  }
}

/**
 * Returns the ids of a list, one per row.
 *
 * @param twice Creates the error for two rows with the same id.
 */
export function listedIds(
  list: IdList,
  twice: (id: string, row: number, first: number) => Error,
): EmbeddingIds {
  const index = new IdIndex(list, list.length)
  for (let row = 0; row < list.length; row++) {
    const first = index.add(row)
    if (first !== row) throw twice(list.get(row), row, first)
  }
  return new IndexedIds(index)
}

/** Returns the file with the ids of a matrix: `docs.ids.txt` for `docs.npy`. */
export function idsFile(file: string): string {
  // A name without an extension stays whole, so that the result is never the file itself.
  return `${file.replace(/\.[^./\\]*$/, '')}.ids.txt`
}

/** Reads the ids beside a matrix, one per line; returns row numbers if there is no such file. */
export async function readNeighboringIds(file: string, rows: number): Promise<EmbeddingIds> {
  const ids = idsFile(file)
  if (!(await stat(ids).catch(() => undefined))) return new RowNumbers(rows)
  const list = new IdList()
  await eachLine(new InputFile(ids), (bytes, from, to, line) => {
    if (from === to) throw lineError(ids, line, 'the id is empty')
    list.push(bytes, from, to)
  })
  if (list.length !== rows) {
    throw new FileError(ids, '', `expected ${rows} ids, one per row of ${file}, got ${list.length}`)
  }
  return listedIds(list, (id, row, first) =>
    lineError(ids, row + 1, `id ${id} occurs twice, first in line ${first + 1}`),
  )
}

/**
 * Returns all files that opening embeddings reads: a file and the ids beside it, or the files in a
 * folder.
 */
export function embeddingFiles(file: string): string[] {
  if (findPath(file)?.isDirectory()) {
    return readdirSync(file)
      .sort()
      .map((name) => join(file, name))
  }
  const ids = idsFile(unpackedName(file))
  return existsSync(ids) ? [file, ids] : [file]
}
