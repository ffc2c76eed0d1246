import { FileError } from '../files/file-error.ts'
import { Header } from '../files/header.ts'

/** The format's own limit. */
const LONGEST_HEADER = 100_000_000

/** The key of a header that is no tensor. */
export const METADATA = '__metadata__'

/** Bytes per number of the format's types; the shape of another type is not compared with its bytes. */
const widths: Readonly<Record<string, number>> = {
  ...{ F64: 8, I64: 8, U64: 8 },
  ...{ F32: 4, I32: 4, U32: 4 },
  ...{ F16: 2, BF16: 2, I16: 2, U16: 2 },
  ...{ I8: 1, U8: 1, BOOL: 1 },
}

/** Where a tensor lies in its file. */
export interface StoredTensor {
  file: string
  name: string
  dtype: string
  shape: readonly number[]
  /** Its first byte in the file, and its bytes. */
  offset: number
  bytes: number
}

type JsonObject = Record<string, unknown>

/**
 * The tensors that the header of a safetensors file describes, each of them inside the file, of as
 * many bytes as its shape needs, and apart from the others.
 */
export function readTensorList(file: string): StoredTensor[] {
  const { described, start, size } = readHeader(file)
  const tensors = Object.entries(described)
    .filter(([name]) => name !== METADATA)
    .map(([name, tensor]) => tensorOf(file, name, tensor, start, size))
  checkApart(tensors)
  return tensors
}

/** The metadata of a safetensors file; its values are not checked. */
export function readMetadata(file: string): JsonObject {
  const metadata = readHeader(file).described[METADATA]
  return isObject(metadata) ? metadata : {}
}

/** The header of a safetensors file, the byte at which its numbers begin, and the file's size. */
function readHeader(file: string): { described: JsonObject; start: number; size: number } {
  return Header.read(file, (header) => {
    const claimed = header.bytes(0, 8).readBigUInt64LE()
    if (claimed > LONGEST_HEADER)
      throw new FileError(file, 'byte 0', `a header of ${claimed} bytes`)
    const length = Number(claimed)
    const text = header.bytes(8, length).toString('utf8')
    let described: unknown
    try {
      described = JSON.parse(text)
    } catch {
      throw new FileError(file, 'header', 'is not JSON')
    }
    if (!isObject(described) || !Object.values(described).every(isObject)) {
      throw new FileError(file, 'header', 'does not describe tensors')
    }
    return { described, start: 8 + length, size: header.size }
  })
}

function tensorOf(
  file: string,
  name: string,
  described: unknown,
  start: number,
  size: number,
): StoredTensor {
  const place = `tensor ${name}`
  const { dtype, shape, data_offsets: range } = described as JsonObject
  if (typeof dtype !== 'string' || !isSizes(shape) || !isSizes(range) || range.length !== 2) {
    throw new FileError(file, place, 'lacks its type, shape or place')
  }
  const [from, to] = range as [number, number]
  if (from > to || start + to > size) {
    const problem = `bytes ${from} to ${to} are outside of the file, which may be cut off`
    throw new FileError(file, place, problem)
  }
  const bytes = to - from
  const width = widths[dtype]
  const needed = shape.reduce((product, dim) => product * dim, width ?? 0)
  if (width !== undefined && needed !== bytes) {
    const numbers = `${shape.join(' × ')} numbers of ${width} bytes`
    throw new FileError(file, place, `${numbers} are ${needed} bytes, the file has ${bytes}`)
  }
  return { file, name, dtype, shape, offset: start + from, bytes }
}

function checkApart(tensors: readonly StoredTensor[]): void {
  const ordered = tensors
    .filter(({ bytes }) => bytes > 0)
    .sort((one, other) => one.offset - other.offset)
  ordered.forEach(({ file, name, offset }, i) => {
    const before = ordered[i - 1]
    if (!before || before.offset + before.bytes <= offset) return
    throw new FileError(file, `tensor ${name}`, `shares bytes with tensor ${before.name}`)
  })
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((n) => Number.isSafeInteger(n) && n >= 0)
}
