import { readv } from 'node:fs'
import { promisify } from 'node:util'
import { asFileError, FileError } from '@kith/base'
import { checkFinite, type RawReader, widthOf } from './raw-rows.ts'

/** Rows of a file from `from` up to, but not including, `to`. */
export interface RowRange {
  from: number
  to: number
}

/** Rows that follow one another in the file, and their position in memory. */
interface Piece extends RowRange {
  position: number
}

/** Pieces that are read at once, with the unwanted rows between them. */
interface Read extends RowRange {
  pieces: Piece[]
}

/** Bytes per read: large enough that the cost of a call does not matter. */
const BLOCK = 8 << 20

/** Up to so many unwanted bytes between rows, reading them takes no longer than a further read. */
const GAP = 1 << 15

/** Maximum number of pieces per read: with the gaps, systems take 1024 buffers. */
const PIECES = 500

/** The number of reads at the same time: Node has four threads for that, and other files are read meanwhile. */
const AT_ONCE = 3

/**
 * Loads rows into shared memory, one after the other.
 *
 * @param ranges The rows, in the order of the file.
 * @param checked Whether every number is checked to be finite.
 */
export async function loadRows(
  reader: RawReader,
  ranges: Iterable<RowRange>,
  into: Float32Array | Uint16Array,
  checked: boolean,
): Promise<void> {
  const { file, stored, counted, dimensions } = reader.layout
  try {
    if (stored !== 'f64' && !counted) await readDirectly(reader, ranges, into, checked)
    else {
      // Doubles are converted to floats, and counts are stored between rows: both need a copy.
      let position = 0
      for (const { from, to } of ranges) {
        reader.read(from, to, into, position * dimensions)
        position += to - from
      }
    }
  } catch (error) {
    throw asFileError(file, error)
  }
}

/**
 * Reads rows without an intermediate copy. Several blocks are read at a time; they are checked in
 * order, so that an error names the first bad row.
 */
async function readDirectly(
  { layout, descriptor }: RawReader,
  ranges: Iterable<RowRange>,
  into: Float32Array | Uint16Array,
  checked: boolean,
): Promise<void> {
  const { dimensions } = layout
  const stride = dimensions * widthOf(layout.stored)
  const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength)
  const gap = new Uint8Array(GAP)
  const inProgress: { pieces: Piece[]; done: Promise<void> }[] = []
  const finishFirst = async (): Promise<void> => {
    const { pieces, done } = inProgress[0]!
    await done
    inProgress.shift()
    if (!checked) return
    for (const { from, to, position } of pieces) {
      const end = position + to - from
      checkFinite(layout, into.subarray(position * dimensions, end * dimensions), from)
    }
  }
  try {
    for (const { from, to, pieces } of readsOf(ranges, stride)) {
      if (inProgress.length === AT_ONCE) await finishFirst()
      const buffers: Uint8Array[] = []
      let next = from
      for (const piece of pieces) {
        if (piece.from > next) buffers.push(gap.subarray(0, (piece.from - next) * stride))
        const end = piece.position + piece.to - piece.from
        buffers.push(bytes.subarray(piece.position * stride, end * stride))
        next = piece.to
      }
      inProgress.push({ pieces, done: readBuffers(layout, descriptor, buffers, { from, to }) })
    }
    while (inProgress.length > 0) await finishFirst()
  } finally {
    // The descriptor may be closed next, so no read may still use it.
    await Promise.allSettled(inProgress.map(({ done }) => done))
  }
}

/** Joins neighboring rows to reads, and cuts long ranges. */
function* readsOf(ranges: Iterable<RowRange>, stride: number): Generator<Read> {
  const most = Math.max(1, Math.floor(BLOCK / stride))
  let read: Read | undefined
  let position = 0
  for (const range of ranges) {
    for (let from = range.from; from < range.to; ) {
      const to = Math.min(range.to, from + most)
      const joins =
        read !== undefined &&
        (from - read.to) * stride <= GAP &&
        to - read.from <= most &&
        read.pieces.length < PIECES
      if (!joins) {
        if (read) yield read
        read = { from, to, pieces: [] }
      }
      read!.pieces.push({ from, to, position })
      read!.to = to
      position += to - from
      from = to
    }
  }
  if (read) yield read
}

const readOnce = promisify(readv)

/** Fills buffers with the bytes of some rows. */
async function readBuffers(
  { file, offset, dimensions, stored }: RawReader['layout'],
  descriptor: number,
  buffers: Uint8Array[],
  { from }: RowRange,
): Promise<void> {
  let position = offset + from * dimensions * widthOf(stored)
  for (let left = buffers; left.length > 0; ) {
    const { bytesRead } = await readOnce(descriptor, left, position)
    if (bytesRead === 0) throw new FileError(file, `row ${from}`, 'the file ends too early')
    position += bytesRead
    let done = bytesRead
    left = left.flatMap((buffer) => {
      const own = Math.min(done, buffer.length)
      done -= own
      return own < buffer.length ? [buffer.subarray(own)] : []
    })
  }
}
