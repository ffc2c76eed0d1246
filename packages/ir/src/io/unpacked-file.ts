import { fstatSync, readSync } from 'node:fs'
import {
  checkLineLength,
  FileError,
  isPackedFile,
  isRegular,
  openRegular,
  readAllSync,
} from '@kith/base'

/**
 * A file that is not compressed, of which any thread can read a part. Positions do not count a byte
 * order mark.
 */
export interface UnpackedFile {
  file: string
  /** The number of bytes of a byte order mark, or 0. */
  offset: number
  /** The number of bytes behind it. */
  size: number
  /** The time of the last change, in milliseconds. */
  changed: number
}

/** A range of bytes; `to` is not in it. */
export interface ByteRange {
  from: number
  to: number
}

/** The reason for opening a file by position. */
const IN_PARTS = 'it is read in parts'

const MARK = Buffer.from([0xef, 0xbb, 0xbf])

const NEWLINE = 10

/** Bytes to read behind a range; twice as many each time until its last line ends. */
const BEHIND = 1 << 16

/** Bytes to count the lines of at a time. */
const COUNTED = 1 << 20

/** Describes a file for reading parts of it; undefined for a pipe, a device or a compressed file. */
export function unpackedFile(file: string): UnpackedFile | undefined {
  if (!isRegular(file) || isPackedFile(file)) return undefined
  return openRegular(file, IN_PARTS, (descriptor) => {
    const { size, mtimeMs: changed } = fstatSync(descriptor)
    const start = Buffer.alloc(MARK.length)
    readSync(descriptor, start, 0, MARK.length, 0)
    const offset = start.equals(MARK) ? MARK.length : 0
    return { file, offset, size: size - offset, changed }
  })
}

/** Reads a range of bytes; throws if the file has changed. */
export function readRange(source: UnpackedFile, { from, to }: ByteRange): Buffer {
  return reading(source, (read) => read(Buffer.allocUnsafe(to - from), from))
}

/** Whole lines of a file. */
export interface Lines {
  bytes: Buffer
  /** The position of the first line. */
  at: number
}

/** Memory for lines, reused from call to call: allocating takes as long as reading. */
let scratch = Buffer.alloc(0)

/**
 * Reads the lines that start in a range, so that ranges side by side have all lines of a file;
 * throws if the file has changed. The bytes are valid until the next call.
 */
export function readLinesOf(source: UnpackedFile, { from, to }: ByteRange): Lines {
  return reading(source, (read) => {
    // A line starts behind a line break, which may be the byte before the range.
    const start = Math.max(0, from - 1)
    let end = Math.min(to + BEHIND, source.size)
    if (scratch.length < end - start) scratch = Buffer.allocUnsafeSlow(end - start)
    let bytes = read(scratch.subarray(0, end - start), start)
    const first = from === 0 ? 0 : bytes.indexOf(NEWLINE) + 1
    const at = start + first
    if ((first === 0 && from > 0) || at >= to) return { bytes: Buffer.alloc(0), at: to }
    // The last line starts before `to`, and ends with the first line break from there on.
    let newline = bytes.indexOf(NEWLINE, to - 1 - start)
    for (let more = BEHIND; newline < 0 && end < source.size; more *= 2) {
      const last = bytes.lastIndexOf(NEWLINE) + 1
      checkLineLength(source.file, bytes.length - last, start + last)
      const behind = Math.min(more, source.size - end)
      const longer = Buffer.allocUnsafeSlow(bytes.length + behind)
      longer.set(bytes)
      read(longer.subarray(bytes.length), end)
      newline = longer.indexOf(NEWLINE, bytes.length)
      bytes = longer
      end += behind
    }
    const stop = newline < 0 ? bytes.length : newline + 1
    const last = bytes.lastIndexOf(NEWLINE, stop - 2) + 1
    checkLineLength(source.file, stop - 1 - last, start + last)
    return { bytes: bytes.subarray(first, stop), at }
  })
}

/** Counts the lines before a position. */
export function countLinesBefore(source: UnpackedFile, position: number): number {
  return reading(source, (read) => {
    let lines = 0
    for (let from = 0; from < position; from += COUNTED) {
      lines += countLines(read(Buffer.allocUnsafe(Math.min(COUNTED, position - from)), from))
    }
    return lines
  })
}

/** Counts the line breaks in some bytes. */
export function countLines(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++
  return count
}

/** Opens a file for a function that fills buffers from positions of it. */
function reading<T>(
  { file, offset, size, changed }: UnpackedFile,
  use: (read: (into: Buffer, position: number) => Buffer) => T,
): T {
  return openRegular(file, IN_PARTS, (descriptor) => {
    const now = fstatSync(descriptor)
    if (now.mtimeMs !== changed || now.size !== offset + size) throw changedError(file)
    return use((into, position) => {
      readAllSync(descriptor, into, offset + position, file)
      return into
    })
  })
}

/** The error for a file that changed between two reads. */
export function changedError(file: string): FileError {
  return new FileError(file, '', 'the file changed while Kith read it; run the command again')
}
