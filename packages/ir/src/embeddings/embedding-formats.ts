import { join } from 'node:path'
import { FileError, Header, type InputFile, unpackedName } from '@kith/base'
import { readTensorList, type StoredTensor, tensorHeader } from '@kith/base/safetensors'
import { KithError } from '@kith/core'
import { IdList } from '../io/id-list.ts'
import { type EmbeddingIds, listedIds } from './embedding-ids.ts'
import { type RawLayout, widthOf } from './raw-rows.ts'

/**
 * The format of a file of embeddings; `memmap` is a folder with `embedding.memmap` and
 * `ids.memmap`.
 */
export type EmbeddingFormat = 'npy' | 'safetensors' | 'fvecs' | 'parquet' | 'jsonl' | 'memmap'

const endings: Record<string, EmbeddingFormat> = {
  '.npy': 'npy',
  '.safetensors': 'safetensors',
  '.fvecs': 'fvecs',
  '.parquet': 'parquet',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.memmap': 'memmap',
}

const known = 'npy, safetensors, fvecs, parquet, jsonl, memmap'

/** Returns the format for a file's extension; undefined if the extension is unknown. */
export function formatByEnding(file: string): EmbeddingFormat | undefined {
  const name = unpackedName(file).toLowerCase()
  return Object.entries(endings).find(([ending]) => name.endsWith(ending))?.[1]
}

/** Detects the format of a file, by its extension or else by its first bytes. */
export async function detectEmbeddings(file: string, input: InputFile): Promise<EmbeddingFormat> {
  const byEnding = formatByEnding(file)
  if (byEnding && byEnding !== 'memmap') return byEnding
  const start = (await input.start()).toString('latin1', 0, 16)
  if (start.startsWith('\x93NUMPY')) return 'npy'
  if (start.startsWith('PAR1')) return 'parquet'
  if (start[8] === '{') return 'safetensors'
  if (start.trimStart().startsWith('{')) return 'jsonl'
  await input.close()
  throw new FileError(input.name, 'byte 0', `unknown embedding format, expected one of ${known}`)
}

/** Returns the error for an unknown format, or for a file whose extension is unknown. */
export function unknownFormat(format: unknown, file?: string): KithError {
  if (format === undefined && file !== undefined) {
    const endings = known.replaceAll(/\w+/g, (name) => `.${name}`)
    return new FileError(
      file,
      '',
      `the embedding format must be clear from the file name; use the extension ${endings}`,
    )
  }
  return new KithError('BAD_SETTING', `embedding format must be one of ${known}, got ${format}`)
}

const MAGIC = '\x93NUMPY'

/** Maximum length of a header in bytes; the header of a plain matrix is shorter. */
const LONGEST = 1 << 16

const npyTypes: Record<string, RawLayout['stored']> = { f2: 'f16', f4: 'f32', f8: 'f64' }

/** Reads the header of a NumPy file: a matrix of f2, f4 or f8 in C order. */
export function npyLayout(file: string): RawLayout {
  return Header.read(file, (header) => {
    const start = header.bytes(0, 12)
    if (start.toString('latin1', 0, 6) !== MAGIC) {
      throw new FileError(file, 'byte 0', 'is not a NumPy file: the first bytes are wrong')
    }
    const version = start[6]!
    if (version < 1 || version > 3)
      throw new FileError(file, 'byte 6', `NumPy format version must be 1, 2 or 3, got ${version}`)
    const length = version === 1 ? start.readUInt16LE(8) : start.readUInt32LE(8)
    if (length > LONGEST)
      throw new FileError(
        file,
        'byte 8',
        `the header has ${length} bytes, expected at most ${LONGEST}`,
      )
    const offset = (version === 1 ? 10 : 12) + length
    const text = header.bytes(offset - length, length).toString('utf8')
    const [rows, dimensions] = shapeOf(file, text)
    const stored = typeOf(file, text)
    if (!/'fortran_order'\s*:\s*False/.test(text)) {
      throw new FileError(
        file,
        'header',
        'expected C order (fortran_order False), got Fortran order',
      )
    }
    header.checkData(rows, dimensions, widthOf(stored), header.size - offset)
    return { file, offset, rows, dimensions, stored, counted: false }
  })
}

/**
 * Returns the header of a NumPy file. It always has 128 bytes, so that it can be rewritten when the
 * rows are counted.
 */
export function npyHeader(rows: number, dimensions: number, type: 'f16' | 'f32'): Uint8Array {
  const descr = type === 'f16' ? '<f2' : '<f4'
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${rows}, ${dimensions}), }`
  const header = Buffer.from(`${MAGIC}\x01\x00\x76\x00${text.padEnd(117)}\n`, 'latin1')
  return header
}

function typeOf(file: string, text: string): RawLayout['stored'] {
  const descr = /'descr'\s*:\s*'([^']*)'/.exec(text)?.[1]
  const type = descr && /^[<=]/.test(descr) ? npyTypes[descr.slice(1)] : undefined
  if (type) return type
  throw new FileError(file, 'header', `expected type <f2, <f4 or <f8, got ${descr ?? 'none'}`)
}

function shapeOf(file: string, text: string): [number, number] {
  const shape = /'shape'\s*:\s*\(([^()]*)\)/.exec(text)?.[1]
  const match = shape === undefined ? null : /^\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*)?$/.exec(shape)
  if (match) return [Number(match[1]), Number(match[2])]
  throw new FileError(file, 'header', `expected a shape of rows and columns, got (${shape ?? ''})`)
}

/**
 * Reads the layout of an `.fvecs` file: each row is its dimension as an int32, then that many
 * float32.
 */
export function fvecsLayout(file: string): RawLayout {
  return Header.read(file, (header) => {
    const dimensions = header.bytes(0, 4).readInt32LE()
    if (dimensions < 1)
      throw new FileError(file, 'byte 0', `row 0 must have at least 1 dimension, got ${dimensions}`)
    const stride = 4 + 4 * dimensions
    const rows = header.size / stride
    if (!Number.isInteger(rows)) {
      const problem = `${header.size} bytes cannot be divided into rows of ${dimensions} dimensions`
      throw new FileError(file, '', problem)
    }
    return { file, offset: 0, rows, dimensions, stored: 'f32', counted: true }
  })
}

/** Encodes rows in the `.fvecs` format. */
export function fvecsRows(values: Float32Array, dimensions: number): Uint8Array {
  const rows = values.length / dimensions
  const words = new Float32Array(rows * (dimensions + 1))
  const counts = new Int32Array(words.buffer)
  for (let row = 0; row < rows; row++) {
    counts[row * (dimensions + 1)] = dimensions
    words.set(values.subarray(row * dimensions, (row + 1) * dimensions), row * (dimensions + 1) + 1)
  }
  return new Uint8Array(words.buffer)
}

/** Returns the files in a folder of the paper's program: raw float32 vectors, and int32 ids. */
export function memmapFiles(folder: string): { vectors: string; ids: string } {
  return { vectors: join(folder, 'embedding.memmap'), ids: join(folder, 'ids.memmap') }
}

/** Reads the layout of a memmap folder's vectors: the number of ids determines their dimension. */
export function memmapLayout(folder: string): RawLayout {
  const { vectors: file, ids } = memmapFiles(folder)
  const rows = Header.read(ids, ({ size }) => size / 4)
  return Header.read(file, ({ size }) => {
    const dimensions = size / (rows * 4)
    if (Number.isInteger(dimensions) && dimensions > 0) {
      return { file, offset: 0, rows, dimensions, stored: 'f32', counted: false }
    }
    const problem = `${size} bytes cannot be divided into ${rows} float32 vectors, one for each id in ${ids}`
    throw new FileError(file, '', problem)
  })
}

/** Reads the ids of a memmap folder. */
export function readMemmapIds(folder: string, rows: number): EmbeddingIds {
  const file = memmapFiles(folder).ids
  const bytes = Header.read(file, (header) => {
    if (header.size === rows * 4) return header.bytes(0, header.size)
    throw new FileError(file, '', `expected ${rows} ids, one per vector, got ${header.size / 4}`)
  })
  const list = new IdList()
  for (let row = 0; row < rows; row++) list.pushText(String(bytes.readInt32LE(row * 4)))
  return listedIds(
    list,
    (id, row, first) =>
      new FileError(file, `row ${row}`, `id ${id} occurs twice, first in row ${first}`),
  )
}

/** Encodes ids as int32. */
export function memmapIds(file: string, ids: readonly string[]): Uint8Array {
  const numbers = Int32Array.from(ids, Number)
  ids.forEach((id, row) => {
    if (String(numbers[row]) === id) return
    throw new FileError(file, `row ${row}`, `id ${JSON.stringify(id)} is not an int32`)
  })
  return new Uint8Array(numbers.buffer)
}

const tensorTypes: Record<string, RawLayout['stored']> = { F16: 'f16', F32: 'f32', F64: 'f64' }

/** Reads the header of a safetensors file, for one of its matrices: by name, or the only one. */
export function safetensorsLayout(file: string, tensor: string | undefined): RawLayout {
  const { name, dtype, shape, offset } = choose(file, readTensorList(file), tensor)
  const place = `tensor ${name}`
  const stored = tensorTypes[dtype]
  if (!stored) throw new FileError(file, place, `expected type F16, F32 or F64, got ${dtype}`)
  if (!isPair(shape)) throw new FileError(file, place, `expected a matrix, got the shape ${shape}`)
  const [rows, dimensions] = shape
  if (dimensions < 1)
    throw new FileError(file, '', `expected the shape of a matrix, got ${rows} × ${dimensions}`)
  return { file, offset, rows, dimensions, stored, counted: false }
}

/**
 * The length of the header from `safetensorsHeader` in bytes, so that it can be rewritten at the
 * end.
 */
const HEADER = 200

/** Returns the header of a safetensors file with a single tensor, `embeddings`. */
export function safetensorsHeader(
  rows: number,
  dimensions: number,
  type: 'f16' | 'f32',
): Uint8Array {
  const bytes = rows * dimensions * (type === 'f16' ? 2 : 4)
  const dtype = type === 'f16' ? 'F16' : 'F32'
  const embeddings = { name: 'embeddings', dtype, shape: [rows, dimensions], bytes }
  return tensorHeader([embeddings], { room: HEADER })
}

function choose(
  file: string,
  tensors: readonly StoredTensor[],
  wanted: string | undefined,
): StoredTensor {
  const namesOf = (some: readonly StoredTensor[]) => some.map(({ name }) => name).join(', ')
  if (wanted !== undefined) {
    const found = tensors.find(({ name }) => name === wanted)
    if (found) return found
    throw new FileError(file, '', `no tensor ${wanted}; the file has ${namesOf(tensors)}`)
  }
  const matrices = tensors.filter(({ shape }) => isPair(shape))
  if (matrices.length === 1) return matrices[0]!
  const found = matrices.length === 0 ? 'no matrix' : `several: ${namesOf(matrices)}`
  throw new FileError(file, '', `expected one matrix, got ${found}; choose one with \`tensor\``)
}

function isPair(shape: readonly number[]): shape is [number, number] {
  return shape.length === 2
}
