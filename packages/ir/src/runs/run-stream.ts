import { checkRegular, FileError, InputFile } from '@kith/base'
import { type RankedQuery, type Run, RunBuilder } from './run.ts'
import { detectRun, readDetectedRun } from './run-files.ts'
import { type RowBlock, type RowSink, RunRows } from './run-rows.ts'

/** Maximum number of queries that are collected before they are passed on. */
const WINDOW = 256

/**
 * The number of documents from which no further query is collected, so that long rankings take no
 * more memory.
 */
const ROWS = 1 << 14

/**
 * Reads a run query by query, in the order of the file, without keeping all of it in memory: the
 * lines of a query must be contiguous. Runs in JSON and Parquet are read whole.
 */
export async function* streamRankings(file: string): AsyncGenerator<RankedQuery> {
  for await (const run of streamRuns(file)) yield* run
}

/** Yields rankings as runs of a few hundred queries. @internal */
export async function* streamRuns(file: string): AsyncGenerator<Run> {
  const input = new InputFile(file)
  const format = await detectRun(file, input)
  if (format === 'json' || format === 'parquet') {
    yield await readDetectedRun(input, format)
    return
  }
  const windows = new RunWindows(input.name)
  const rows = new RunRows(input.name, format, windows)
  for await (const chunk of input.chunks()) {
    rows.push(chunk)
    yield* windows.take()
  }
  rows.end()
  yield* windows.take()
  yield windows.last()
}

/**
 * Counts the queries of a run, and finds every error in it before long work begins. The run is read
 * again for that work, so it must be a file.
 */
export async function countRankings(file: string): Promise<number> {
  checkRegular(file, 'this command reads the run twice')
  let count = 0
  for await (const run of streamRuns(file)) count += run.queries.length
  return count
}

/**
 * An error for a run that cannot be read query by query, because the lines of a query are not
 * contiguous.
 */
export class ScatteredError extends FileError {
  constructor(file: string, line: number, query: string) {
    super(
      file,
      `line ${line}`,
      `query ${query} occurs again after other queries; sort the file by query`,
    )
  }
}

/** Splits the rows of a run into runs of some hundred whole queries. */
class RunWindows implements RowSink {
  readonly #seen = new Set<string>()
  #last: string | undefined
  #builder: RunBuilder
  #queries = 0
  #rows = 0
  #done: Run[] = []

  constructor(readonly file: string) {
    this.#builder = new RunBuilder(file)
  }

  rows(block: RowBlock): void {
    const { queries, firsts, lines } = block
    let from = 0
    for (const [group, query] of queries.entries()) {
      if (query !== this.#last) {
        if (this.#seen.has(query)) {
          throw new ScatteredError(this.file, lines[firsts[group]!]!, query)
        }
        this.#seen.add(query)
        this.#last = query
        if (this.#queries === WINDOW || this.#rows >= ROWS) {
          this.#builder.rows(block, from, group)
          from = group
          this.#done.push(this.#builder.finish())
          this.#builder = new RunBuilder(this.file)
          this.#queries = 0
          this.#rows = 0
        }
        this.#queries++
      }
      this.#rows += firsts[group + 1]! - firsts[group]!
    }
    this.#builder.rows(block, from)
  }

  /** Returns the runs that are complete. */
  take(): Run[] {
    const done = this.#done
    this.#done = []
    return done
  }

  /** Returns the run of the remaining rows. */
  last(): Run {
    return this.#builder.finish()
  }
}
