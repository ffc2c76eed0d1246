import type { DocumentReader } from './documents.ts'
import {
  type Batch,
  type Best,
  type Block,
  createScanner,
  type ScannerRecipe,
} from './exact/scanner.ts'

/** The smallest block: handing round smaller ones would take much of the time. */
const LEAST_BYTES = 2 ** 20
/** Blocks that go through a buffer are no larger than this. */
const BUFFER_BYTES = 4 * 2 ** 20
/** The largest block that is read in place: larger ones would make progress jerky. */
const MOST_BYTES = 16 * 2 ** 20
/** Blocks that a scanner has at a time: the one it works on, and the next. */
const BLOCKS_PER_SCANNER = 2

/** A place for a block on its way to a scanner. */
export interface Slot {
  scanner: AsyncScanner
  buffer: SharedArrayBuffer
}

/** Documents of a block of the smallest size. */
export function leastRows(dimensions: number): number {
  return rowsIn(LEAST_BYTES, dimensions)
}

/** The places for blocks that scanners have together, a buffer to each unless reading is in place. */
export function slotsFor(scanners: AsyncScanner[], reader: DocumentReader): Slot[] {
  const { dimensions } = reader
  const bytes = reader.inPlace ? 0 : rowsIn(BUFFER_BYTES, dimensions) * dimensions * 4
  // The first blocks go to all scanners, not both to one.
  return Array.from({ length: BLOCKS_PER_SCANNER }, () =>
    scanners.map((scanner) => ({ scanner, buffer: new SharedArrayBuffer(bytes) })),
  ).flat()
}

/**
 * Hands all documents, block by block, to the first scanner that is free: the rows that one
 * scanner gets always rise. `onBlock` is called with the number of documents of each block that is done.
 */
export async function scanBlocks(
  reader: DocumentReader,
  slots: Slot[],
  onBlock: (rows: number) => void,
): Promise<void> {
  const { rows, dimensions } = reader
  const most = rowsIn(reader.inPlace ? MOST_BYTES : BUFFER_BYTES, dimensions)
  const free = [...slots]
  const running = new Set<Promise<void>>()
  const scan = async ({ scanner }: Slot, data: Float32Array | Uint16Array, firstRow: number) => {
    await scanner.scan({ data, firstRow })
    onBlock(data.length / dimensions)
  }
  for (let from = 0; from < rows; ) {
    // A block that failed stays among the running ones, and ends this wait.
    while (free.length === 0) await Promise.race(running)
    const slot = free.shift()!
    // Smaller and smaller, so that all scanners end at about the same time.
    const share = Math.ceil((rows - from) / (2 * slots.length))
    const count = Math.min(Math.max(share, leastRows(dimensions)), most, rows - from)
    const data = await reader.read(from, from + count, slot.buffer)
    const task = scan(slot, data, from).then(() => {
      running.delete(task)
      free.push(slot)
    })
    // If reading fails first, Node would report this block's own failure as unhandled.
    task.catch(() => {})
    running.add(task)
    from += count
  }
  await Promise.all(running)
}

function rowsIn(bytes: number, dimensions: number): number {
  return Math.max(1, Math.floor(bytes / (4 * dimensions)))
}

/** A scanner at work, here or in another thread. Calls are answered in their order. */
export interface AsyncScanner {
  begin(batch: Batch): Promise<void>
  scan(block: Block): Promise<void>
  finish(): Promise<Best>
}

/** A scanner in the caller's thread, which gets time for other things after every block. */
export function localScanner(recipe: ScannerRecipe): AsyncScanner {
  const scanner = createScanner(recipe)
  return {
    async begin(batch) {
      scanner.begin(batch)
    },
    async scan(block) {
      scanner.scan(block)
      await new Promise((resolve) => setImmediate(resolve))
    },
    async finish() {
      return scanner.finish()
    },
  }
}
