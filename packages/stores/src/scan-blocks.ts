import type { DocumentReader } from './documents.ts'
import {
  type Batch,
  type Best,
  type Block,
  createScanner,
  type ScannerRecipe,
} from './exact/scanner.ts'

/** The smallest block: passing smaller blocks to scanners would take much of the time. */
const LEAST_BYTES = 2 ** 20
/** The largest block that is read into a buffer. */
const BUFFER_BYTES = 4 * 2 ** 20
/** The largest block that is read in place: larger blocks would make progress reports uneven. */
const MOST_BYTES = 16 * 2 ** 20
/** Blocks that a scanner has at a time: the current block and the next. */
const BLOCKS_PER_SCANNER = 2

/** A slot for a block that waits for a scanner or is being scanned. */
export interface Slot {
  scanner: AsyncScanner
  buffer: SharedArrayBuffer
}

/** Returns the number of documents in a block of the smallest size. */
export function leastRows(dimensions: number): number {
  return rowsIn(LEAST_BYTES, dimensions)
}

/** Creates the slots of all scanners, each with a buffer unless reading is in place. */
export function slotsFor(scanners: AsyncScanner[], reader: DocumentReader): Slot[] {
  const { dimensions } = reader
  const bytes = reader.inPlace ? 0 : rowsIn(BUFFER_BYTES, dimensions) * dimensions * 4
  // Interleaved by scanner, so that the first blocks go to different scanners.
  return Array.from({ length: BLOCKS_PER_SCANNER }, () =>
    scanners.map((scanner) => ({ scanner, buffer: new SharedArrayBuffer(bytes) })),
  ).flat()
}

/**
 * Passes all documents, block by block, to the first free scanner; each scanner gets its rows in
 * ascending order. Calls `onBlock` with the number of documents in each finished block.
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
    // A failed block stays in `running`, so its error ends this wait.
    while (free.length === 0) await Promise.race(running)
    const slot = free.shift()!
    // Block sizes shrink, so that all scanners finish at about the same time.
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

/** A scanner in this thread or another. It answers calls in order. */
export interface AsyncScanner {
  begin(batch: Batch): Promise<void>
  scan(block: Block): Promise<void>
  finish(): Promise<Best>
}

/** Creates a scanner in the caller's thread; it yields to other tasks after every block. */
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
