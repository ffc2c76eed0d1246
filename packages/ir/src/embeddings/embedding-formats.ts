import { join } from 'node:path'
import { FileError, Header, type InputFile, unpackedName } from '@kith/base'
import { readTensorList, type StoredTensor, tensorHeader } from '@kith/base/safetensors'
import { KithError } from '@kith/core'
import { IdList } from '../io/id-list.ts'
import { type EmbeddingIds, listedIds } from './embedding-ids.ts'
import { type RawLayout, widthOf } from './raw-rows.ts'

/** `memmap` is a folder with `embedding.memmap` and `ids.memmap`. */
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

/** The format that a name's ending tells, or undefined. */
export function formatByEnding(file: string): EmbeddingFormat | undefined {
  const name = unpackedName(file).toLowerCase()
  return Object.entries(endings).find(([ending]) => name.endsWith(ending))?.[1]
}

/** The format of a file: by its ending, else by its first bytes. */
export async function detectEmbeddings(file: string, input: InputFile): Promise<EmbeddingFormat> {
  const byEnding = formatByEnding(file)
  if (byEnding && byEnding !== 'memmap') return byEnding
  const start = (await input.start()).toString('latin1', 0, 16)
  if (start.startsWith('\x93NUMPY')) return 'npy'
  if (start.startsWith('PAR1')) return 'parquet'
  if (start[8] === '{') return 'safetensors'
  if (start.trimStart().startsWith('{')) return 'jsonl'
  await input.close()
  throw new FileError(input.name, 'byte 0', `no format that is known here (${known})`)
}

/** The error for a format that is none of those, or for a file whose name tells none. */
export function unknownFormat(format: unknown, file?: string): KithError {
  if (format === undefined && file !== undefined) {
    const endings = known.replaceAll(/\w+/g, (name) => `.${name}`)
    return new FileError(file, '', `its name tells no embedding format: expected ${endings}`)
  }
  return new KithError('BAD_SETTING', `embedding format ${format}, allowed: ${known}`)
}

const MAGIC = '\x93NUMPY'

/** A longer header describes no plain matrix. */
const LONGEST = 1 << 16

const npyTypes: Record<string, RawLayout['stored']> = { f2: 'f16', f4: 'f32', f8: 'f64' }

/** Reads the header of a NumPy file: a matrix of f2, f4 or f8 in C order. */
export function npyLayout(file: string): RawLayout {
  return Header.read(file, (header) => {
    const start = header.bytes(0, 12)
    if (start.toString('latin1', 0, 6) !== MAGIC) {
      throw new FileError(file, 'byte 0', 'does not start as a NumPy file does')
    }
    const version = start[6]!
    if (version < 1 || version > 3) throw new FileError(file, 'byte 6', `version ${version}`)
    const length = version === 1 ? start.readUInt16LE(8) : start.readUInt32LE(8)
    if (length > LONGEST) throw new FileError(file, 'byte 8', `a header of ${length} bytes`)
    const offset = (version === 1 ? 10 : 12) + length
    const text = header.bytes(offset - length, length).toString('utf8')
    const [rows, dimensions] = shapeOf(file, text)
    const stored = typeOf(file, text)
    if (!/'fortran_order'\s*:\s*False/.test(text)) {
      throw new FileError(file, 'header', 'expected C order (fortran_order False)')
    }
    header.checkData(rows, dimensions, widthOf(stored), header.size - offset)
    return { file, offset, rows, dimensions, stored, counted: false }
  })
}

/** The header of a NumPy file, always 128 bytes, so that it can be rewritten when rows are counted. */
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
  throw new FileError(file, 'header', `expected type <f2, <f4 or <f8, found ${descr ?? 'none'}`)
}

function shapeOf(file: string, text: string): [number, number] {
  const shape = /'shape'\s*:\s*\(([^()]*)\)/.exec(text)?.[1]
  const match = shape === undefined ? null : /^\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*)?$/.exec(shape)
  if (match) return [Number(match[1]), Number(match[2])]
  throw new FileError(
    file,
    'header',
    `expected a shape of rows and columns, found (${shape ?? ''})`,
  )
}

/** Looks at an `.fvecs` file: each row is its dimension as an int32, then that many float32. */
export function fvecsLayout(file: string): RawLayout {
  return Header.read(file, (header) => {
    const dimensions = header.bytes(0, 4).readInt32LE()
    if (dimensions < 1)
      throw new FileError(file, 'byte 0', `the first row has ${dimensions} dimensions`)
    const stride = 4 + 4 * dimensions
    const rows = header.size / stride
    if (!Number.isInteger(rows)) {
      const problem = `${header.size} bytes are no whole number of rows of ${dimensions} dimensions`
      throw new FileError(file, '', problem)
    }
    return { file, offset: 0, rows, dimensions, stored: 'f32', counted: true }
  })
}

/** Rows as `.fvecs` holds them. */
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

/** The files of the folders that the paper's program writes: raw float32, and int32 ids. */
export function memmapFiles(folder: string): { vectors: string; ids: string } {
  return { vectors: join(folder, 'embedding.memmap'), ids: join(folder, 'ids.memmap') }
}

/** Looks at the vectors of such a folder: there are as many as ids, which gives their dimension. */
export function memmapLayout(folder: string): RawLayout {
  const { vectors: file, ids } = memmapFiles(folder)
  const rows = Header.read(ids, ({ size }) => size / 4)
  return Header.read(file, ({ size }) => {
    const dimensions = size / (rows * 4)
    if (Number.isInteger(dimensions) && dimensions > 0) {
      return { file, offset: 0, rows, dimensions, stored: 'f32', counted: false }
    }
    const problem = `${size} bytes are not as many float32 vectors of equal length as ${ids} has ids, ${rows}`
    throw new FileError(file, '', problem)
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

const tensorTypes: Record<string, RawLayout['stored']> = { F16: 'f16', F32: 'f32', F64: 'f64' }

/** Reads the header of a safetensors file, for one matrix in it: by name, or the only one. */
export function safetensorsLayout(file: string, tensor: string | undefined): RawLayout {
  const { name, dtype, shape, offset } = choose(file, readTensorList(file), tensor)
  const place = `tensor ${name}`
  const stored = tensorTypes[dtype]
  if (!stored) throw new FileError(file, place, `expected type F16, F32 or F64, found ${dtype}`)
  if (!isPair(shape)) throw new FileError(file, place, `expected a matrix, its shape is ${shape}`)
  const [rows, dimensions] = shape
  if (dimensions < 1) throw new FileError(file, '', `the shape is ${rows} × ${dimensions}`)
  return { file, offset, rows, dimensions, stored, counted: false }
}

/** Room for the header that `safetensorsHeader` makes, so that it can be rewritten at the end. */
const HEADER = 200

/** The header of a safetensors file with the one tensor `embeddings`. */
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
    throw new FileError(file, '', `has no tensor ${wanted}, only ${namesOf(tensors)}`)
  }
  const matrices = tensors.filter(({ shape }) => isPair(shape))
  if (matrices.length === 1) return matrices[0]!
  const found = matrices.length === 0 ? 'no matrix' : `several: ${namesOf(matrices)}`
  throw new FileError(file, '', `expected one matrix, found ${found} (choose with \`tensor\`)`)
}

function isPair(shape: readonly number[]): shape is [number, number] {
  return shape.length === 2
}
