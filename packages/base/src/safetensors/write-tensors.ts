import { writeAtomic } from '../files/write-atomic.ts'
import { METADATA } from './tensor-list.ts'

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

/** A tensor as a header describes it: tensors lie one behind the other, in the order given. */
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
