import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Numbers from 0 to 1 that are the same in every run. */
export function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** Writes files under a folder: JSON, unless they are text or bytes. */
export function writeFiles(folder: string, files: Record<string, unknown>): string {
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name)
    mkdirSync(join(file, '..'), { recursive: true })
    const raw = typeof content === 'string' || content instanceof Uint8Array
    writeFileSync(file, raw ? content : JSON.stringify(content))
  }
  return folder
}

/** A tensor to be stored; BF16 keeps the upper half of each float. */
export interface Tensor {
  shape: number[]
  data: Float32Array
}

/** A safetensors file of some tensors. */
export function safetensors(tensors: Record<string, Tensor>, dtype: 'F32' | 'BF16'): Buffer {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } }
  const parts: Uint8Array[] = []
  let at = 0
  for (const [name, { shape, data }] of Object.entries(tensors)) {
    const words = new Uint32Array(data.buffer, data.byteOffset, data.length)
    const stored = dtype === 'F32' ? data : Uint16Array.from(words, (word) => word >>> 16)
    const bytes = new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength)
    header[name] = { dtype, shape, data_offsets: [at, at + bytes.length] }
    parts.push(bytes)
    at += bytes.length
  }
  return withHeader(header, Buffer.concat(parts))
}

/** A safetensors file with any header. */
export function withHeader(header: unknown, data: Uint8Array = new Uint8Array()): Buffer {
  const text = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  return Buffer.concat([length, text, data])
}

/** The cosine of two vectors. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let [ab, aa, bb] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    ab += a[i]! * b[i]!
    aa += a[i]! * a[i]!
    bb += b[i]! * b[i]!
  }
  return ab / Math.sqrt(aa * bb)
}
