import { isUtf8 } from 'node:buffer'
import { halfTable } from '@kith/base/half'

/** The type of a Parquet column: how values are stored, and the length of fixed-length bytes. */
export interface ValueType {
  stored: string
  length: number
}

/** Decodes plain values as float32. */
export function plainNumbers(
  bytes: Uint8Array,
  { stored, length }: ValueType,
  count: number,
): Float32Array {
  return fillNumbers(bytes, numberWidth(stored, length), new Float32Array(count))
}

/** Decodes plain values in double precision. */
export function plainDoubles(
  bytes: Uint8Array,
  { stored, length }: ValueType,
  count: number,
): Float64Array {
  return fillNumbers(bytes, numberWidth(stored, length), new Float64Array(count))
}

function fillNumbers<T extends Float32Array | Float64Array>(
  bytes: Uint8Array,
  width: number,
  values: T,
): T {
  const count = values.length
  check(bytes, count * width)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const halves = halfTable()
  for (let i = 0; i < count; i++) {
    if (width === 4) values[i] = view.getFloat32(i * 4, true)
    else if (width === 8) values[i] = view.getFloat64(i * 8, true)
    else values[i] = halves[view.getUint16(i * 2, true)]!
  }
  return values
}

/** Joins values whose bytes are split into streams, first bytes first. */
export function joinStreams(
  bytes: Uint8Array,
  { stored, length }: ValueType,
  count: number,
): Uint8Array {
  const width = numberWidth(stored, length)
  check(bytes, count * width)
  const joined = new Uint8Array(count * width)
  for (let i = 0; i < count; i++) {
    for (let b = 0; b < width; b++) joined[i * width + b] = bytes[b * count + i]!
  }
  return joined
}

/** Decodes plain ids: texts or whole numbers. */
export function plainIds(bytes: Uint8Array, { stored }: ValueType, count: number): string[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const ids: string[] = []
  let at = 0
  for (let i = 0; i < count; i++) {
    const size = stored === 'INT32' ? 4 : stored === 'INT64' ? 8 : 4
    check(bytes, at + size)
    if (stored === 'INT32') ids.push(String(buffer.readInt32LE(at)))
    else if (stored === 'INT64') ids.push(String(buffer.readBigInt64LE(at)))
    else if (stored === 'BYTE_ARRAY') {
      const length = buffer.readUInt32LE(at)
      check(bytes, at + 4 + length)
      const id = buffer.subarray(at + 4, at + 4 + length)
      if (!isUtf8(id)) throw new Error(`text ${i} of a page is not UTF-8`)
      ids.push(id.toString())
      at += length
    } else throw new Error(`ids must have the type BYTE_ARRAY, INT32 or INT64, got ${stored}`)
    at += size
  }
  return ids
}

function numberWidth(stored: string, length: number): number {
  if (stored === 'FLOAT') return 4
  if (stored === 'DOUBLE') return 8
  if (stored === 'FIXED_LEN_BYTE_ARRAY' && length === 2) return 2
  throw new Error(`numbers must have the type FLOAT, DOUBLE or FLOAT16, got ${stored}`)
}

function check(bytes: Uint8Array, needed: number): void {
  if (needed > bytes.length)
    throw new Error(`a page must have ${needed} bytes, got ${bytes.length}`)
}
