import { type FileHandle, open, stat } from 'node:fs/promises'
import { asFileError, FileError, halfTable } from '@kith/ir'
import { isObject, type JsonObject } from './json.ts'

/** The format's own limit. */
const LONGEST_HEADER = 100_000_000

/** Bytes per number of the types that weights are stored in. */
const widths: Record<string, number> = { F32: 4, F16: 2, BF16: 2 }

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

/** The tensors that a safetensors file says it has, each of them inside the file. */
export async function readTensorList(file: string): Promise<StoredTensor[]> {
  const { described, start, size } = await readHeader(file)
  return Object.entries(described)
    .filter(([name]) => name !== METADATA)
    .map(([name, tensor]) => tensorOf(file, name, tensor, start, size))
}

/** What a safetensors file says about itself; its values are not checked. */
export async function readMetadata(file: string): Promise<JsonObject> {
  const metadata = (await readHeader(file)).described[METADATA]
  return isObject(metadata) ? metadata : {}
}

/** The key of a header that is no tensor. */
const METADATA = '__metadata__'

/** The header of a safetensors file, where its numbers begin, and the file's size. */
async function readHeader(
  file: string,
): Promise<{ described: JsonObject; start: number; size: number }> {
  return withFile(file, async (handle) => {
    const { size } = await handle.stat()
    const claimed = (await readBytes(handle, file, 0, 8, size)).readBigUInt64LE()
    if (claimed > LONGEST_HEADER)
      throw new FileError(file, 'byte 0', `a header of ${claimed} bytes`)
    const length = Number(claimed)
    const header = (await readBytes(handle, file, 8, length, size)).toString('utf8')
    let described: unknown
    try {
      described = JSON.parse(header)
    } catch {
      throw new FileError(file, 'header', 'is not JSON')
    }
    if (!isObject(described)) throw new FileError(file, 'header', 'does not describe tensors')
    return { described, start: 8 + length, size }
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
  const { dtype, shape, data_offsets: range } = isObject(described) ? described : {}
  if (typeof dtype !== 'string' || !isSizes(shape) || !isSizes(range) || range.length !== 2) {
    throw new FileError(file, place, 'lacks its type, shape or place')
  }
  const [from, to] = range as [number, number]
  if (from > to || start + to > size) {
    const problem = `bytes ${from} to ${to} are outside of the file, which may be cut off`
    throw new FileError(file, place, problem)
  }
  return { file, name, dtype, shape, offset: start + from, bytes: to - from }
}

/** The bytes of a tensor, whatever its type. */
export async function readTensorBytes({ file, offset, bytes }: StoredTensor): Promise<Uint8Array> {
  return withFile(file, async (handle) => {
    const { size } = await handle.stat()
    const { buffer } = await readBytes(handle, file, offset, bytes, size)
    return new Uint8Array(buffer)
  })
}

/** Reads tensors as float32, whatever they are stored as. All of them are in one file. */
export async function readTensors(
  file: string,
  tensors: readonly StoredTensor[],
): Promise<Float32Array[]> {
  return withFile(file, async (handle) => {
    const { size } = await handle.stat()
    const read: Float32Array[] = []
    for (const { name, dtype, shape, offset, bytes } of tensors) {
      const width = widths[dtype]
      if (!width) {
        const allowed = Object.keys(widths).join(', ')
        throw new FileError(file, `tensor ${name}`, `is ${dtype}, supported: ${allowed}`)
      }
      const count = shape.reduce((product, dim) => product * dim, 1)
      if (count * width !== bytes) {
        const problem = `${shape.join(' × ')} numbers of ${width} bytes in ${bytes} bytes`
        throw new FileError(file, `tensor ${name}`, problem)
      }
      const values = toFloats(await readBytes(handle, file, offset, bytes, size), dtype, count)
      checkFinite(values, file, name)
      read.push(values)
    }
    return read
  })
}

function checkFinite(values: Float32Array, file: string, name: string): void {
  for (let i = 0; i < values.length; i++) {
    // What is not finite less itself is NaN.
    if (values[i]! - values[i]! !== 0) {
      throw new FileError(file, `tensor ${name}`, `number ${i} is ${values[i]}`)
    }
  }
}

function toFloats(bytes: Buffer, dtype: string, count: number): Float32Array {
  if (dtype === 'F32') return new Float32Array(bytes.buffer, bytes.byteOffset, count)
  const stored = new Uint16Array(bytes.buffer, bytes.byteOffset, count)
  const values = new Float32Array(count)
  if (dtype === 'F16') {
    const table = halfTable()
    for (let i = 0; i < count; i++) values[i] = table[stored[i]!]!
  } else {
    // A bfloat16 is the upper half of a float32.
    const bits = new Uint32Array(values.buffer)
    for (let i = 0; i < count; i++) bits[i] = stored[i]! << 16
  }
  return values
}

async function readBytes(
  handle: FileHandle,
  file: string,
  position: number,
  length: number,
  size: number,
): Promise<Buffer> {
  if (position + length > size) {
    const problem = `needs ${length} bytes here, the file ends at byte ${size}`
    throw new FileError(file, `byte ${position}`, problem)
  }
  // Of its own memory, so that it can be read as numbers in place.
  const bytes = Buffer.from(new ArrayBuffer(length))
  for (let done = 0; done < length; ) {
    const { bytesRead } = await handle.read(bytes, done, length - done, position + done)
    if (bytesRead === 0) throw new FileError(file, `byte ${position + done}`, 'the file ends here')
    done += bytesRead
  }
  return bytes
}

async function withFile<T>(file: string, look: (handle: FileHandle) => Promise<T>): Promise<T> {
  let handle: FileHandle | undefined
  try {
    // A pipe that nobody writes would never open.
    if (!(await stat(file)).isFile()) throw new FileError(file, '', 'is not a file')
    handle = await open(file)
    return await look(handle)
  } catch (error) {
    throw asFileError(file, error)
  } finally {
    await handle?.close()
  }
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((n) => Number.isSafeInteger(n) && n >= 0)
}
