/**
 * Internal: the one reader and writer of safetensors files, for Kith's own packages. It may change
 * with any version.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { asFileError, FileError } from './files/file-error.ts'
import { checkRegular, Header, POSITIONS } from './files/regular-file.ts'
import { writeAtomic } from './files/write-atomic.ts'
import { halfTable, notFinite } from './half.ts'

/** The bytes of a tensor of any type. */
export async function readTensorBytes(tensor: StoredTensor): Promise<Uint8Array> {
  return withFile(tensor.file, async (handle) => {
    const { buffer } = await readBytes(handle, tensor)
    return new Uint8Array(buffer)
  })
}

/** Reads tensors of F32, F16 or BF16 as float32. All of them are in one file. */
export async function readTensors(
  file: string,
  tensors: readonly StoredTensor[],
): Promise<Float32Array[]> {
  return withFile(file, async (handle) => {
    const read: Float32Array[] = []
    for (const tensor of tensors) {
      const { name, dtype } = tensor
      const decode = decoders[dtype]
      if (!decode) {
        const allowed = Object.keys(decoders).join(', ')
        throw new FileError(file, `tensor ${name}`, `expected the type ${allowed}, got ${dtype}`)
      }
      const values = decode((await readBytes(handle, tensor)).buffer)
      const bad = notFinite(values)
      if (bad >= 0)
        throw new FileError(
          file,
          `tensor ${name}`,
          `value ${bad} is ${values[bad]}, expected a finite number`,
        )
      read.push(values)
    }
    return read
  })
}

/** The numbers of a tensor's bytes, by type; float32 is read in place. */
const decoders: Readonly<Record<string, (bytes: ArrayBuffer) => Float32Array>> = {
  F32: (bytes) => new Float32Array(bytes),

  F16(bytes) {
    const stored = new Uint16Array(bytes)
    const values = new Float32Array(stored.length)
    const table = halfTable()
    for (let i = 0; i < stored.length; i++) values[i] = table[stored[i]!]!
    return values
  },

  BF16(bytes) {
    const stored = new Uint16Array(bytes)
    const values = new Float32Array(stored.length)
    // A bfloat16 is the upper half of a float32.
    const bits = new Uint32Array(values.buffer)
    for (let i = 0; i < stored.length; i++) bits[i] = stored[i]! << 16
    return values
  },
}

/** The bytes of a tensor in separate memory, so that they can be read as numbers in place. */
async function readBytes(
  handle: FileHandle,
  { file, offset, bytes: length }: StoredTensor,
): Promise<Buffer<ArrayBuffer>> {
  const { size } = await handle.stat()
  if (offset + length > size) {
    const problem = `expected ${length} bytes, but the file ends at byte ${size}`
    throw new FileError(file, `byte ${offset}`, problem)
  }
  const bytes = Buffer.from(new ArrayBuffer(length))
  for (let done = 0; done < length; ) {
    const { bytesRead } = await handle.read(bytes, done, length - done, offset + done)
    if (bytesRead === 0)
      throw new FileError(file, `byte ${offset + done}`, 'the file ends too early')
    done += bytesRead
  }
  return bytes
}

async function withFile<T>(file: string, look: (handle: FileHandle) => Promise<T>): Promise<T> {
  let handle: FileHandle | undefined
  try {
    // A pipe to which nothing writes would never open.
    checkRegular(file, POSITIONS)
    handle = await open(file)
    return await look(handle)
  } catch (error) {
    throw asFileError(file, error)
  } finally {
    await handle?.close()
  }
}

/** A tensor to be written: float32, or bytes of a type that is named. */
export interface WrittenTensor {
  name: string
  shape: readonly number[]
  dtype?: string
  data: Float32Array | Uint32Array | Uint8Array
}

/** Writes a safetensors file, whole or not at all. */
export async function writeTensors(
  file: string,
  tensors: readonly WrittenTensor[],
  metadata: Record<string, string> = { format: 'pt' },
): Promise<void> {
  const described = tensors.map(({ name, shape, dtype = 'F32', data }) => {
    return { name, shape, dtype, bytes: data.byteLength }
  })
  await writeAtomic(file, async (write) => {
    await write(tensorHeader(described, { metadata }))
    for (const { data } of tensors) {
      await write(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
    }
  })
}

/** A tensor as a header describes it: tensors lie one after the other, in the order given. */
interface DescribedTensor {
  name: string
  shape: readonly number[]
  dtype: string
  bytes: number
}

/**
 * The first bytes of a safetensors file: the header's length and the header, padded with spaces to
 * a multiple of 8, so that numbers behind it are aligned, and to `room` bytes at least, so that a
 * header can be written again when the rows are counted.
 */
export function tensorHeader(
  tensors: readonly DescribedTensor[],
  { metadata, room = 0 }: { metadata?: Record<string, string>; room?: number } = {},
): Uint8Array {
  const described: Record<string, unknown> = metadata ? { [METADATA]: metadata } : {}
  let at = 0
  for (const { name, shape, dtype, bytes } of tensors) {
    described[name] = { dtype, shape, data_offsets: [at, at + bytes] }
    at += bytes
  }
  const json = Buffer.from(JSON.stringify(described))
  const length = Math.max(room, Math.ceil(json.length / 8) * 8)
  const header = Buffer.alloc(8 + length, ' ')
  header.writeBigUInt64LE(BigInt(length))
  json.copy(header, 8)
  return header
}

/** The format's own limit. */
const LONGEST_HEADER = 100_000_000

/** The key of a header that is no tensor. */
const METADATA = '__metadata__'

/** Bytes per number of the format's types; the shape of another type is not compared with its bytes. */
const widths: Readonly<Record<string, number>> = {
  ...{ F64: 8, I64: 8, U64: 8 },
  ...{ F32: 4, I32: 4, U32: 4 },
  ...{ F16: 2, BF16: 2, I16: 2, U16: 2 },
  ...{ I8: 1, U8: 1, BOOL: 1 },
}

/** The position of a tensor in its file. */
export interface StoredTensor {
  file: string
  name: string
  dtype: string
  shape: readonly number[]
  /** The tensor's first byte in the file, and its number of bytes. */
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
      throw new FileError(
        file,
        'byte 0',
        `the header has ${claimed} bytes, expected at most ${LONGEST_HEADER}`,
      )
    const length = Number(claimed)
    const text = header.bytes(8, length).toString('utf8')
    let described: unknown
    try {
      described = JSON.parse(text)
    } catch {
      throw new FileError(file, 'header', 'is not JSON')
    }
    if (!isObject(described) || !Object.values(described).every(isObject)) {
      throw new FileError(file, 'header', 'is not a JSON object with an object per tensor')
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
    throw new FileError(file, place, 'expected dtype, shape and data_offsets')
  }
  const [from, to] = range as [number, number]
  if (from > to || start + to > size) {
    const problem = `bytes ${from} to ${to} are outside the file; the file may be truncated`
    throw new FileError(file, place, problem)
  }
  const bytes = to - from
  const width = widths[dtype]
  const needed = shape.reduce((product, dim) => product * dim, width ?? 0)
  if (width !== undefined && needed !== bytes) {
    const numbers = `${shape.join(' × ')} numbers of ${width} bytes`
    throw new FileError(file, place, `expected ${needed} bytes (${numbers}), got ${bytes}`)
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
