import { setImmediate } from 'node:timers/promises'
import { firstBadLine, InputFile, isRegular, LineBlocks, lineError, notUtf8 } from '@kith/base'
import { IdList, type SharedIds } from '../io/id-list.ts'
import { LineKernel } from '../io/line-kernel.ts'
import { changedError, readLinesOf, type UnpackedFile, unpackedFile } from '../io/unpacked-file.ts'
import { type Run, RunBuilder, type RunParts } from './run.ts'
import { detectRun } from './run-files.ts'
import { RunRows } from './run-rows.ts'

/**
 * Maximum number of queries per slice: enough that the cost of sending a slice to a thread does not
 * matter.
 */
const QUERIES = 64

/**
 * The size in bytes from which a slice gets no further query, so that long rankings take no more
 * memory.
 */
const BYTES = 1 << 17

/** Maximum number of queries to find at a time. */
const CHANGES = 1 << 12

/** Bytes to look for queries at a time, in a file that is read by position. */
const BLOCK = 1 << 20

const NEWLINE = 10

/** Whole queries of a run, by their position in the decompressed file. */
export interface RunSlice {
  from: number
  to: number
  /** The number of lines before the slice. */
  line: number
  /** The number of queries before the slice, and in the slice. */
  position: number
  queries: number
}

/** A run whose slices can be read one by one. */
export interface SlicedRun {
  file: string
  format: 'trec' | 'msmarco'
  queries: number
  slices: RunSlice[]
  /** How any thread reads a slice from the file itself; undefined if the file is only streamed. */
  unpacked: UnpackedFile | undefined
}

/**
 * Cuts a run into slices of whole queries, which are then read and checked one by one, so that
 * several threads can process a run larger than memory. Reads only the query of each line. Returns
 * undefined for a run that must be read whole: in JSON or Parquet, from a pipe, or with a query
 * that occurs again after others.
 */
export async function sliceRun(file: string): Promise<SlicedRun | undefined> {
  if (!isRegular(file)) return undefined
  const input = new InputFile(file)
  const format = await detectRun(file, input)
  if (format === 'json' || format === 'parquet') {
    await input.close()
    return undefined
  }
  const cutter = new SliceCutter(file, format)
  const unpacked = unpackedFile(file)
  if (unpacked) {
    await input.close()
    for (let from = 0; from < unpacked.size && !cutter.scattered; from += BLOCK) {
      const to = Math.min(from + BLOCK, unpacked.size)
      cutter.add(readLinesOf(unpacked, { from, to }).bytes)
      // Signals need a turn of the event loop.
      await setImmediate()
    }
  } else {
    const blocks = new LineBlocks(file)
    for await (const chunk of input.chunks()) {
      for (const lines of blocks.push(chunk)) cutter.add(lines)
      if (cutter.scattered) return undefined
    }
    for (const lines of blocks.end()) cutter.add(lines)
  }
  if (cutter.scattered) return undefined
  const { slices, queries } = cutter.end()
  return { file, format, slices, queries, unpacked }
}

/** Yields the bytes of slices in order, each with its slice, for a file that is only streamed. */
export async function* readSlices({
  file,
  slices,
}: SlicedRun): AsyncGenerator<{ slice: RunSlice; bytes: Buffer }> {
  let next = 0
  // The position in the file of the first byte that was read and not yet passed on.
  let start = 0
  let rest: Buffer[] = []
  let end = 0
  for await (const chunk of new InputFile(file).chunks()) {
    rest.push(chunk)
    end += chunk.length
    if (next === slices.length || slices[next]!.to > end) continue
    const bytes = rest.length === 1 ? chunk : Buffer.concat(rest)
    for (; next < slices.length && slices[next]!.to <= end; next++) {
      const slice = slices[next]!
      yield { slice, bytes: bytes.subarray(slice.from - start, slice.to - start) }
    }
    const left = slices[next - 1]!.to
    rest = left < end ? [bytes.subarray(left - start)] : []
    start = left
  }
  if (next < slices.length || end !== slices.at(-1)!.to) {
    throw changedError(file)
  }
}

/** Parses the rankings of a slice; errors name `file`. */
export function parseSlice(
  { file, format }: Pick<SlicedRun, 'file' | 'format'>,
  { line }: Pick<RunSlice, 'line'>,
  bytes: Buffer,
): RunParts {
  const builder = new RunBuilder(file)
  const rows = new RunRows(file, format, builder, line)
  rows.push(bytes)
  rows.end()
  return builder.finish().parts
}

/** Rankings of a run in memory that worker threads can share. */
export interface SharedRankings {
  queries: string[]
  starts: Uint32Array
  ids: SharedIds
  scores: Float64Array
}

/** Yields the rankings of a run that was read whole, 64 at a time. */
export function* shareRankings(run: Run): Generator<SharedRankings> {
  const { queries, starts, order, documents, scores } = run.parts
  for (let from = 0; from < queries.length; from += QUERIES) {
    const to = Math.min(from + QUERIES, queries.length)
    const rows = order.subarray(starts[from]!, starts[to]!)
    yield {
      queries: queries.slice(from, to),
      starts: starts.slice(from, to + 1).map((start) => start - starts[from]!),
      ids: documents.select(rows).share(),
      scores: Float64Array.from(rows, (row) => scores[row]!),
    }
  }
}

/** Returns rankings that another thread shares. */
export function sharedRankings({ queries, starts, ids, scores }: SharedRankings): RunParts {
  const order = Uint32Array.from(scores.keys())
  return { queries, starts, order, documents: IdList.over(ids), scores }
}

/** Finds the positions between queries where slices end. */
class SliceCutter {
  queries = 0
  /** Number of bytes so far. */
  bytes = 0
  /** Whether a query occurred again after others. */
  scattered = false
  readonly slices: RunSlice[] = []
  readonly #file: string
  readonly #trec: boolean
  readonly #kernel = new LineKernel()
  readonly #seen = new Set<string>()
  /** The last query. */
  #query = Buffer.alloc(0)
  #lines = 0
  #next = { from: 0, line: 0, position: 0 }

  constructor(file: string, format: 'trec' | 'msmarco') {
    this.#file = file
    this.#trec = format === 'trec'
  }

  /** Adds the next lines of the run. */
  add(lines: Buffer): void {
    const bad = firstBadLine(lines)
    if (bad >= 0) throw lineError(this.#file, this.#lines + bad + 1, notUtf8)
    const kernel = this.#kernel
    kernel.release()
    const at = kernel.take(lines.length + 1)
    kernel.bytes.set(lines, at)
    kernel.bytes[at + lines.length] = NEWLINE
    const changes = kernel.take(CHANGES * 16)
    const { end } = kernel
    for (let from = 0; from < lines.length; ) {
      kernel.release(end)
      const query = kernel.place(this.#query)
      const count = kernel.exports.findQueries(
        at + from,
        at + lines.length,
        query,
        this.#query.length,
        Number(this.#trec),
        changes,
        CHANGES,
      )
      const { words } = kernel
      const last = changes / 4 + (count - 1) * 4
      for (let change = changes / 4; change <= last; change += 4) {
        const start = from + words[change + 1]!
        const stop = from + words[change + 2]!
        const line = this.bytes + from + words[change]!
        this.#begin(lines.toString('utf8', start, stop), line, this.#lines + words[change + 3]!)
        // A copy, since the query outlives the lines.
        if (change === last) this.#query = Buffer.from(lines.subarray(start, stop))
      }
      this.#lines += kernel.exports.lineCount()
      from += kernel.exports.byteCount()
    }
    this.bytes += lines.length
  }

  /** Ends the last slice. */
  end(): this {
    this.#cut(this.bytes, 0)
    return this
  }

  /**
   * Begins a query, and a slice if the last one is full.
   *
   * @param at The position of its first line.
   * @param lines Number of lines before.
   */
  #begin(query: string, at: number, lines: number): void {
    if (this.#seen.has(query)) this.scattered = true
    this.#seen.add(query)
    const { from, position } = this.#next
    const size = this.queries - position
    // Lines before the first query belong to the first slice.
    if (size === QUERIES || (size > 0 && at - from >= BYTES)) this.#cut(at, lines)
    this.queries++
  }

  /** Ends a slice before a byte; the next slice begins after this many lines. */
  #cut(to: number, lines: number): void {
    const { from, line, position } = this.#next
    this.slices.push({ from, to, line, position, queries: this.queries - position })
    this.#next = { from: to, line: lines, position: this.queries }
  }
}
