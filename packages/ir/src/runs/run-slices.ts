import { FileError, InputFile, isRegular, LineSplitter, type LineVisitor } from '@kith/base'
import { isSpace } from '../io/fields.ts'
import { IdIndex } from '../io/id-index.ts'
import { IdList, type SharedIds } from '../io/id-list.ts'
import { type Run, RunBuilder, type RunParts } from './run.ts'
import { detectRun, msmarcoRows, trecRows } from './run-files.ts'

/** Queries of a slice, at most: enough to make the cost of handing it to a thread vanish. */
const QUERIES = 64

/** A slice with this many bytes gets no further query, so that long rankings take no more memory. */
const BYTES = 1 << 17

const COMMENT = 0x23

/** Whole queries of a run, by their place in the file once it is unpacked. */
export interface RunSlice {
  from: number
  to: number
  /** How many lines stand before it. */
  line: number
  /** How many queries stand before it, and how many it has. */
  position: number
  queries: number
}

/** A run whose slices can be read one by one. */
export interface SlicedRun {
  file: string
  format: 'trec' | 'msmarco'
  queries: number
  slices: RunSlice[]
}

/**
 * Cuts a run into slices of whole queries, which are then read and checked one by one: a run larger
 * than memory can be worked on, by several threads. Only the query of each line is looked at.
 * Undefined for a run that has to be read whole: in JSON or Parquet, from a pipe, or with a query
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
  const cutter = new SliceCutter(format === 'trec')
  const splitter = new LineSplitter(input.name, cutter.visit)
  let bytes = 0
  for await (const chunk of input.chunks()) {
    bytes += chunk.length
    splitter.push(chunk)
    if (cutter.scattered) return undefined
  }
  splitter.end()
  if (cutter.scattered) return undefined
  return { file, format, slices: cutter.end(bytes), queries: cutter.queries }
}

/** The bytes of slices, in their order, with the slice that they are. */
export async function* readSlices({
  file,
  slices,
}: SlicedRun): AsyncGenerator<{ slice: RunSlice; bytes: Buffer }> {
  let next = 0
  // The bytes that were read and not yet passed on begin at this place of the file.
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
    throw new FileError(file, '', 'the file changed while Kith read it; run the command again')
  }
}

/** The rankings of a slice; `file` names it in errors. */
export function parseSlice(
  { file, format }: Pick<SlicedRun, 'file' | 'format'>,
  { line }: Pick<RunSlice, 'line'>,
  bytes: Buffer,
): RunParts {
  const builder = new RunBuilder(file)
  const rows = format === 'trec' ? trecRows(file, builder) : msmarcoRows(file, builder)
  const splitter = new LineSplitter(file, rows, line)
  splitter.push(bytes)
  splitter.end()
  return builder.finish().parts
}

/** Rankings of a run on memory that worker threads can share. */
export interface SharedRankings {
  queries: string[]
  starts: Uint32Array
  ids: SharedIds
  scores: Float64Array
}

/** The rankings of a run that was read whole, 64 at a time. */
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

/** Rankings that another thread shares. */
export function sharedRankings({ queries, starts, ids, scores }: SharedRankings): RunParts {
  const order = Uint32Array.from(scores.keys())
  return { queries, starts, order, documents: IdList.over(ids), scores }
}

/** Finds the places between queries where slices end. */
class SliceCutter {
  queries = 0
  /** Whether a query came back after others. */
  scattered = false
  readonly slices: RunSlice[] = []
  readonly #seen = new IdList()
  readonly #index = new IdIndex(this.#seen)
  readonly #comments: boolean
  #next = { from: 0, line: 0, position: 0 }

  /** @param comments Whether lines that start with `#` are comments. */
  constructor(comments: boolean) {
    this.#comments = comments
  }

  readonly visit: LineVisitor = (bytes, from, to, line, at) => {
    let start = from
    while (start < to && isSpace(bytes[start]!)) start++
    if (start === to || (this.#comments && bytes[start] === COMMENT)) return
    let end = start
    while (end < to && !isSpace(bytes[end]!)) end++
    const last = this.#seen.length - 1
    if (last >= 0 && this.#seen.equalsBytes(last, bytes, start, end)) return
    this.#seen.push(bytes, start, end)
    if (this.#index.add(last + 1) !== last + 1) this.scattered = true
    const { from: begin, position } = this.#next
    const size = this.queries - position
    // Lines before the first query belong to the first slice.
    if (size === QUERIES || (size > 0 && at - begin >= BYTES)) this.#cut(at, line - 1)
    this.queries++
  }

  /** Ends the last slice. */
  end(bytes: number): RunSlice[] {
    this.#cut(bytes, 0)
    return this.slices
  }

  /** Ends a slice before a byte, and begins the next slice after this many lines. */
  #cut(to: number, lines: number): void {
    const { from, line, position } = this.#next
    this.slices.push({ from, to, line, position, queries: this.queries - position })
    this.#next = { from: to, line: lines, position: this.queries }
  }
}
