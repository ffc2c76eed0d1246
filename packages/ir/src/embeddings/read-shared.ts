import { read } from 'node:fs'
import { promisify } from 'node:util'
import { FileError } from '@kith/base'
import { checkFinite, type RawLayout, widthOf } from './raw-rows.ts'

const readOnce = promisify(read)

/** Bytes of one read: large enough to make its own cost vanish. */
const BLOCK = 8 << 20

/** Reads that are under way at a time, each in a thread of Node's own. */
const AT_ONCE = 4

/**
 * Reads all rows into shared memory of the same form, without a copy in between. Several blocks are
 * read at a time; they are checked in their order, so that an error names the first bad row.
 *
 * @param checked Whether every number is checked to be finite.
 */
export async function readShared(
  layout: RawLayout,
  descriptor: number,
  into: Float32Array | Uint16Array,
  checked: boolean,
): Promise<void> {
  const stride = layout.dimensions * widthOf(layout.stored)
  const rows = Math.max(1, Math.floor(BLOCK / stride))
  const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength)
  const underWay: Promise<void>[] = []
  try {
    for (let row = 0, next = 0; row < layout.rows; row += rows) {
      for (; next < layout.rows && underWay.length < AT_ONCE; next += rows) {
        const end = Math.min(next + rows, layout.rows)
        underWay.push(
          readBlock(layout, descriptor, bytes.subarray(next * stride, end * stride), next),
        )
      }
      await underWay.shift()
      if (!checked) continue
      const end = Math.min(row + rows, layout.rows)
      checkFinite(layout, into.subarray(row * layout.dimensions, end * layout.dimensions), row)
    }
  } finally {
    // The descriptor is closed next: no read may still use it.
    await Promise.allSettled(underWay)
  }
}

/** Fills a block with the bytes of the rows from `row` on. */
async function readBlock(
  { file, offset, dimensions, stored }: RawLayout,
  descriptor: number,
  block: Uint8Array,
  row: number,
): Promise<void> {
  const position = offset + row * dimensions * widthOf(stored)
  for (let done = 0; done < block.length; ) {
    const left = block.length - done
    const { bytesRead } = await readOnce(descriptor, block, done, left, position + done)
    if (bytesRead === 0) throw new FileError(file, `row ${row}`, 'the file ends here')
    done += bytesRead
  }
}
