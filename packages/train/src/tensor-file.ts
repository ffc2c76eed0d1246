import { writeAtomic } from '@kith/ir'

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
  const described: Record<string, unknown> = { __metadata__: metadata }
  let at = 0
  for (const { name, shape, dtype = 'F32', data } of tensors) {
    described[name] = { dtype, shape, data_offsets: [at, at + data.byteLength] }
    at += data.byteLength
  }
  const json = Buffer.from(JSON.stringify(described))
  // Spaces up to a multiple of 8, so that numbers lie where a processor likes them.
  const header = Buffer.concat([json, Buffer.alloc((8 - (json.length % 8)) % 8, ' ')])
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(header.length))
  await writeAtomic(file, async (write) => {
    await write(length)
    await write(header)
    for (const { data } of tensors) {
      await write(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
    }
  })
}
