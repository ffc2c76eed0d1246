import { type RankedQuery, type Run, RunBuilder, readRun } from '@kith/ir'
import {
  type IdList,
  parseSlice,
  type RunParts,
  type RunSlice,
  readRange,
  readSlices,
  type SharedRankings,
  type SlicedRun,
  sharedRankings,
  shareRankings,
  sliceRun,
  type UnpackedFile,
} from '@kith/ir/internal'

/**
 * A slice of a run's queries for a worker: a range of the file, which the worker reads itself; bytes
 * of a compressed file; or rankings in shared memory.
 */
export type SliceTask = RangeTask | BytesTask | { rankings: SharedRankings }

interface FileTask extends Pick<SlicedRun, 'file' | 'format'>, Pick<RunSlice, 'line'> {}

interface RangeTask extends FileTask, Pick<RunSlice, 'from' | 'to'> {
  unpacked: UnpackedFile
}

interface BytesTask extends FileTask {
  bytes: Uint8Array
}

/** A run whose queries are distributed to workers. */
export interface OpenRun {
  queries: number
  /** The run, if it had to be read into memory. */
  whole: Run | undefined
  /** Yields the slices of the run, in order. */
  slices(): AsyncGenerator<OpenSlice>
}

/** A slice of a run, and its number of queries. */
interface OpenSlice {
  task: SliceTask
  queries: number
}

/**
 * Opens a run for processing its queries. It is read slice by slice, or into memory if its format
 * cannot be sliced.
 */
export async function openRun(file: string): Promise<OpenRun> {
  const sliced = await sliceRun(file)
  if (sliced) {
    return { queries: sliced.queries, whole: undefined, slices: () => sliceTasks(sliced) }
  }
  return runInMemory(await readRun(file))
}

/** Wraps a run in memory for processing its queries. */
export function runInMemory(run: Run): OpenRun {
  return { queries: run.queries.length, whole: run, slices: () => rankingTasks(run) }
}

/** Returns the queries in a range of a run, for processing a shard. */
export function queriesOf(run: OpenRun, from: number, to: number): OpenRun {
  return { queries: to - from, whole: undefined, slices: () => slicesWithin(run, from, to) }
}

async function* slicesWithin(run: OpenRun, from: number, to: number): AsyncGenerator<OpenSlice> {
  let next = 0
  for await (const { task, queries } of run.slices()) {
    const start = next
    next += queries
    const [first, end] = [Math.max(from - start, 0), Math.min(to - start, queries)]
    if (first >= end) continue
    if (end - first === queries) yield { task, queries }
    else yield* rankingTasks(part(readSlice(task), first, end))
  }
}

/** Returns a range of a slice's queries as a run. */
function part({ list, documents, scores }: SliceQueries, from: number, to: number): Run {
  const builder = new RunBuilder()
  for (const { query, ids } of list.slice(from, to)) {
    builder.add({
      query,
      ids: Array.from(ids, (number) => documents.get(number)),
      scores: Float64Array.from(ids, (number) => scores[number]!),
    })
  }
  return builder.finish()
}

/** The queries of a slice; candidates are numbers in a list of ids. */
interface SliceQueries {
  list: readonly { query: string; ids: Uint32Array }[]
  documents: IdList
  /** The scores of the run, by the numbers in `ids`. */
  scores: ArrayLike<number>
}

/** Reads the queries of a slice, in the order of the run. */
export function readSlice(task: SliceTask): SliceQueries {
  const { queries, starts, order, documents, scores } = partsOf(task)
  const idsOf = (i: number) => order.subarray(starts[i]!, starts[i + 1]!)
  return { list: queries.map((query, i) => ({ query, ids: idsOf(i) })), documents, scores }
}

function partsOf(task: SliceTask): RunParts {
  if ('rankings' in task) return sharedRankings(task.rankings)
  if ('unpacked' in task) return parseSlice(task, task, readRange(task.unpacked, task))
  const { buffer, byteOffset, length } = task.bytes
  return parseSlice(task, task, Buffer.from(buffer as ArrayBuffer, byteOffset, length))
}

async function* sliceTasks(sliced: SlicedRun): AsyncGenerator<OpenSlice> {
  const { file, format, unpacked } = sliced
  if (unpacked) {
    for (const { from, to, line, queries } of sliced.slices) {
      yield { task: { file, format, line, from, to, unpacked }, queries }
    }
    return
  }
  for await (const { slice, bytes } of readSlices(sliced)) {
    // A copy, since otherwise the whole buffer of the bytes would be sent to the worker.
    const task = { file, format, line: slice.line, bytes: new Uint8Array(bytes) }
    yield { task, queries: slice.queries }
  }
}

async function* rankingTasks(run: Run): AsyncGenerator<OpenSlice> {
  for (const rankings of shareRankings(run)) {
    yield { task: { rankings }, queries: rankings.queries.length }
  }
}

/** Yields the tasks of all slices. */
export async function* tasksOf(run: OpenRun): AsyncGenerator<SliceTask> {
  for await (const { task } of run.slices()) yield task
}

/** Yields the queries of a run with their documents, in order. */
export async function* namesOf(run: OpenRun): AsyncGenerator<Pick<RankedQuery, 'query' | 'ids'>> {
  for await (const task of tasksOf(run)) {
    const { list, documents } = readSlice(task)
    for (const { query, ids } of list) {
      yield { query, ids: Array.from(ids, (number) => documents.get(number)) }
    }
  }
}
