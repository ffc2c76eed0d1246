import { type FileHandle, open } from 'node:fs/promises'
import { asFileError, FileError } from '../files/file-error.ts'
import { checkRegular, POSITIONS } from '../files/regular-file.ts'
import { halfTable, notFinite } from '../half.ts'
import type { StoredTensor } from './tensor-list.ts'

/** The bytes of a tensor, whatever its type. */
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
        throw new FileError(file, `tensor ${name}`, `is ${dtype}, supported: ${allowed}`)
      }
      const values = decode((await readBytes(handle, tensor)).buffer)
      const bad = notFinite(values)
      if (bad >= 0) throw new FileError(file, `tensor ${name}`, `number ${bad} is ${values[bad]}`)
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

/** The bytes of a tensor in memory of their own, so that they can be read as numbers in place. */
async function readBytes(
  handle: FileHandle,
  { file, offset, bytes: length }: StoredTensor,
): Promise<Buffer<ArrayBuffer>> {
  const { size } = await handle.stat()
  if (offset + length > size) {
    const problem = `needs ${length} bytes here, the file ends at byte ${size}`
    throw new FileError(file, `byte ${offset}`, problem)
  }
  const bytes = Buffer.from(new ArrayBuffer(length))
  for (let done = 0; done < length; ) {
    const { bytesRead } = await handle.read(bytes, done, length - done, offset + done)
    if (bytesRead === 0) throw new FileError(file, `byte ${offset + done}`, 'the file ends here')
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
