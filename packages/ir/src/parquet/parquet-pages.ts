/*
 * Kith decodes pages itself because hyparquet's decoder does not survive damaged files. Tried with
 * hyparquet 1.31.5 (November 2026): `parquetReadObjects` on a file of vectors (434 bytes) and a file
 * of labels (1,039 bytes), each with one bit flipped, or one byte set to 255, at every place. 11 of
 * 3,906 and 17 of 9,351 changes end in a hang (over 10 s) or in a process out of memory (a heap of
 * 512 MB). Two kinds of input break it:
 *
 * - a version 2 page header without `repetition_levels_byte_length` or `definition_levels_byte_length`,
 *   because a bit of an earlier field changed: the offset becomes NaN, and the levels never end;
 * - a repeated run in the levels that claims more entries than the page has (`readRle` fills an array
 *   with as many, up to 2³¹): with every header intact, so checking headers first is not enough.
 *
 * A copy of hyparquet with both mended reads or refuses all of these files. `test/mutations.test.ts`
 * makes such changes for this decoder: try a newer hyparquet with them.
 */
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { ColumnMetaData } from 'hyparquet'
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js'
import { compressors, decompressZstd } from 'hyparquet-compressors'
import { checkThrift } from './thrift-check.ts'

/** A page of a column: the levels of its entries, and the bytes of entries that are not null. */
export interface Page {
  /** The repetition level of each entry; 0 if an entry starts a row. */
  repetition: Uint32Array | undefined
  /** The definition level of each entry; below the column's depth if an entry is null. */
  definition: Uint32Array | undefined
  entries: number
  /** The number of entries that are not null. */
  values: number
  encoding: number
  bytes: Uint8Array
  dictionary: boolean
}

/** The nesting depth of a column: in lists, and in optional elements. */
export interface Depth {
  repetition: number
  definition: number
}

/** Parquet's numbers for page types. */
const DATA = 0
const DICTIONARY = 2
const DATA_V2 = 3

type Thrift = Record<string, unknown>

/**
 * Iterates over the pages of a column chunk. Sizes are accepted only if they are plausible and
 * within `limit`, in bytes; hyparquet's own decoder trusts them, and a damaged page kills it.
 */
export function* readPages(
  bytes: Buffer,
  { codec }: ColumnMetaData,
  depth: Depth,
  limit: number,
): Generator<Page> {
  for (let at = 0; at < bytes.length; ) {
    const end = checkThrift(bytes, at)
    const view = new DataView(bytes.buffer, bytes.byteOffset, end)
    const header = deserializeTCompactProtocol({ view, offset: at }) as Thrift
    const packed = size(header['field_3'], bytes.length - end)
    const unpacked = size(header['field_2'], Math.min(limit, Math.max(2 ** 26, packed * 1024)))
    const body = bytes.subarray(end, end + packed)
    at = end + packed
    const kind = header['field_1']
    if (kind === DATA) yield dataPage(unpack(body, unpacked, codec), part(header['field_5']), depth)
    else if (kind === DATA_V2)
      yield dataPageV2(body, unpacked, codec, part(header['field_8']), depth)
    else if (kind === DICTIONARY)
      yield dictionary(unpack(body, unpacked, codec), part(header['field_7']))
  }
}

function dictionary(bytes: Uint8Array, header: Thrift): Page {
  const entries = entriesOf(header, bytes.length)
  const levels = { repetition: undefined, definition: undefined }
  return { ...levels, entries, values: entries, encoding: 0, bytes, dictionary: true }
}

/**
 * Reads a version 1 data page: levels are compressed together with the values, each kind after its
 * length.
 */
function dataPage(bytes: Uint8Array, header: Thrift, depth: Depth): Page {
  const entries = entriesOf(header, bytes.length)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let at = 0
  const levels = (deepest: number) => {
    if (deepest === 0) return undefined
    const start = at + 4
    at = start + size(view.getUint32(at, true), bytes.length - start)
    return decodeHybrid(bytes.subarray(start, at), bits(deepest), entries)
  }
  const repetition = levels(depth.repetition)
  const definition = levels(depth.definition)
  const values = notNull(definition, entries, depth)
  const encoding = Number(header['field_2'])
  const rest = bytes.subarray(at)
  return { repetition, definition, entries, values, encoding, bytes: rest, dictionary: false }
}

/** Reads a version 2 data page: levels come first and are never compressed. */
function dataPageV2(
  body: Buffer,
  unpacked: number,
  codec: string,
  header: Thrift,
  depth: Depth,
): Page {
  const entries = entriesOf(header, unpacked)
  const first = size(header['field_6'], body.length)
  const second = size(header['field_5'], body.length - first)
  const levels = (bytes: Uint8Array, deepest: number) =>
    deepest === 0 ? undefined : decodeHybrid(bytes, bits(deepest), entries)
  const repetition = levels(body.subarray(0, first), depth.repetition)
  const definition = levels(body.subarray(first, first + second), depth.definition)
  const values = notNull(definition, entries, depth)
  const encoding = Number(header['field_4'])
  const rest = body.subarray(first + second)
  const length = size(unpacked - first - second, unpacked)
  const bytes = header['field_7'] === false ? rest : unpack(rest, length, codec)
  return { repetition, definition, entries, values, encoding, bytes, dictionary: false }
}

/**
 * Returns the number of entries of a page, up to a limit that no harmless page exceeds, even if all
 * its entries are equal.
 */
function entriesOf(header: Thrift, bytes: number): number {
  return size(header['field_1'], Math.max(2 ** 24, bytes * 8))
}

function unpack(bytes: Uint8Array, length: number, codec: string): Uint8Array {
  if (codec === 'UNCOMPRESSED') return bytes
  const options = { maxOutputLength: Math.max(1, length) }
  if (codec === 'GZIP') return gunzipSync(bytes, options)
  if (codec === 'BROTLI') return brotliDecompressSync(bytes, options)
  if (codec === 'ZSTD') return decompressZstd(bytes, new Uint8Array(length))
  const unpacker = compressors[codec as 'SNAPPY']
  if (!unpacker) throw new Error(`the compression ${codec} is not supported`)
  return unpacker(bytes, length)
}

function notNull(definition: Uint32Array | undefined, entries: number, depth: Depth): number {
  if (!definition) return entries
  let count = 0
  for (const level of definition) if (level === depth.definition) count++
  return count
}

function bits(largest: number): number {
  return 32 - Math.clz32(largest)
}

function part(value: unknown): Thrift {
  if (typeof value === 'object' && value !== null) return value as Thrift
  throw new Error('a page has no header for its type')
}

function size(value: unknown, limit: number): number {
  if (typeof value === 'number' && value >= 0 && value <= limit) return value
  throw new Error(`a page has a size of ${value}, expected at most ${limit}`)
}

/**
 * Decodes Parquet's hybrid of run-length and bit-packed numbers: levels, and indices in a
 * dictionary. Runs beyond `count` are cut off, so that damaged runs do not fill the memory.
 */
export function decodeHybrid(bytes: Uint8Array, width: number, count: number): Uint32Array {
  if (width > 32) throw new Error(`numbers must have at most 32 bits, got ${width}`)
  const output = new Uint32Array(count)
  let at = 0
  let done = 0
  while (done < count) {
    let head = 0
    for (let shift = 0; ; shift += 7) {
      if (at >= bytes.length || shift > 28)
        throw new Error(`the levels end after ${done} of ${count}`)
      head += (bytes[at]! & 127) * 2 ** shift
      if (bytes[at++]! < 128) break
    }
    const length = Math.floor(head / 2)
    if (head % 2 === 0) {
      const size = Math.ceil(width / 8)
      if (at + size > bytes.length || length === 0)
        throw new Error(`a repeated value at byte ${at} has the length ${length}`)
      let value = 0
      for (let i = 0; i < size; i++) value += bytes[at++]! * 2 ** (8 * i)
      const end = Math.min(count, done + length)
      output.fill(value, done, end)
      done = end
    } else {
      const end = Math.min(count, done + length * 8)
      if (at + Math.ceil(((end - done) * width) / 8) > bytes.length || length === 0) {
        throw new Error(`${length * 8} packed numbers at byte ${at} exceed the page`)
      }
      unpackBits(bytes, at, width, output, done, end)
      at += length * width
      done = end
    }
  }
  return output
}

function unpackBits(
  bytes: Uint8Array,
  at: number,
  width: number,
  output: Uint32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const bit = (i - from) * width
    let value = 0
    // A number of up to 32 bits spans up to five bytes: more than bit operations can handle.
    const first = at + (bit >> 3)
    const last = at + ((bit + width - 1) >> 3)
    for (let byte = last; byte >= first && width > 0; byte--) value = value * 256 + bytes[byte]!
    output[i] = Math.floor(value / 2 ** (bit & 7)) % 2 ** width
  }
}
