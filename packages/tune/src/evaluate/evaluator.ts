import { availableParallelism } from 'node:os'
import { ThreadWorker, WorkerPool, workerEntry } from '@kith/base/pool'
import { KithError, type MethodSettings, rerank } from '@kith/core'
import { tokenizerOf } from '@kith/core/internal'
import { type ScorerOptions, type TrialCollection, viewsOf, withStatistics } from './collection.ts'
import { baselineValues, QueryTrials, type TrialBatch, type TrialInputs } from './query-trials.ts'

/** Measures settings on judged queries. */
export interface Evaluator {
  /** How many queries there are. */
  readonly queries: number
  /** The group of each query; undefined if each is its own. */
  readonly groups?: readonly string[] | undefined
  /** The most candidates that a query has. */
  readonly largest: number
  /** Whether there are texts. */
  readonly texts: boolean
  /** The ways to make terms that there are texts of. */
  readonly tokenizers: readonly string[]
  /** Each query's value as the run ranks it. */
  readonly baseline: Float64Array
  /**
   * For each of some settings each query's value; the same for any number of workers.
   *
   * @param wanted For each settings the queries whose values matter: the values of other queries may be 0.
   */
  evaluate(
    settings: readonly MethodSettings[],
    wanted?: readonly ReadonlySet<number>[],
  ): Promise<Float64Array[]>
  /**
   * Ends the workers; values that are not there yet fail. Resolves when all threads have exited.
   */
  close(): Promise<void>
  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Options of an evaluator. */
export interface EvaluatorOptions extends ScorerOptions {
  /** Worker threads; 0 works in the caller's. Default: one per core. */
  workers?: number | undefined
  /** Bytes that all workers together may keep between rounds; default 1 GiB. */
  memory?: number | undefined
}

/** Some queries at work, here or in another thread. */
interface Share {
  measure(batch: TrialBatch): Promise<Float64Array>
  close(): Promise<void>
}

/** The message of calls that closing the evaluator left without values. */
const STOPPED = 'the trials were stopped'

const entry = workerEntry(import.meta.url, 'worker.js')

/**
 * Creates an evaluator of judged queries that divides the work among worker threads.
 *
 * ```ts
 * const evaluator = createEvaluator(collection, { measure: 'nDCG@10' })
 * ```
 */
export function createEvaluator(
  collection: TrialCollection,
  { workers = availableParallelism(), memory = 2 ** 30, ...options }: EvaluatorOptions,
): Evaluator {
  const { list } = collection
  const baseline = baselineValues(list, options)
  const count = Math.max(1, Math.min(workers, list.length))
  // A query stays with its worker, which remembers its context.
  const divided = Array.from({ length: count }, (_, share) =>
    [...list.keys()].filter((query) => query % count === share),
  )
  const shares = divided.map((queries): Share => {
    const own = { ...collection, list: queries.map((query) => list[query]!) }
    const inputs = { ...options, collection: own, memory: memory / count }
    return workers === 0 ? new LocalShare(inputs) : threadShare(inputs)
  })
  const grouped = list.some(({ group }) => group !== undefined)
  return {
    queries: list.length,
    groups: grouped ? list.map(({ id, group }) => group ?? `query ${id}`) : undefined,
    largest: list.reduce((most, { docs }) => Math.max(most, docs.length), 1),
    texts: collection.texts !== undefined,
    tokenizers: (collection.texts ?? []).map(({ docs }) => docs.tokenizer),
    baseline,
    async evaluate(settings, wanted) {
      const parts = await Promise.all(
        shares.map((share, i) =>
          share.measure({ settings, mask: maskOf(divided[i]!, settings, wanted) }),
        ),
      )
      return settings.map((_, s) => {
        const values = new Float64Array(list.length)
        divided.forEach((queries, share) => {
          queries.forEach((query, i) => {
            values[query] = parts[share]![s * queries.length + i]!
          })
        })
        return values
      })
    },
    async close() {
      await Promise.all(shares.map((share) => share.close()))
    },
    [Symbol.asyncDispose]() {
      return this.close()
    },
  }
}

/** Marks the values that matter, by settings and then by query. */
function maskOf(
  queries: readonly number[],
  settings: readonly MethodSettings[],
  wanted?: readonly ReadonlySet<number>[],
): Uint8Array {
  return Uint8Array.from(
    settings.flatMap((_, s) => queries.map((query) => Number(wanted?.[s]?.has(query) ?? true))),
  )
}

/** A share in a separate thread. If the thread dies, the next round starts another. */
function threadShare(inputs: TrialInputs): Share {
  const pool = new WorkerPool<TrialBatch, Float64Array>({
    start: () => new ThreadWorker({ entry, data: inputs, job: 'a trial worker' }),
    size: 1,
    closed: STOPPED,
  })
  return { measure: (batch) => pool.run(() => batch), close: () => pool.close() }
}

/** A share in the caller's thread, which gets time for other things after every query. */
class LocalShare implements Share {
  readonly #trials: QueryTrials
  #closed = false

  constructor(inputs: TrialInputs) {
    this.#trials = new QueryTrials(inputs)
  }

  async measure(batch: TrialBatch): Promise<Float64Array> {
    const values = new Float64Array(batch.mask.length)
    for (let query = 0; query < this.#trials.queries; query++) {
      if (this.#closed) throw new KithError('CLOSED', STOPPED)
      this.#trials.measure(query, batch, values)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return values
  }

  async close(): Promise<void> {
    this.#closed = true
  }
}

/** The time that reranking one query takes with some context size. */
export interface QueryTime {
  size: number
  /** The median over queries. */
  milliseconds: number
  /** The first and the third quarter. */
  low: number
  high: number
}

/** Queries that are timed for each size, and milliseconds after which fewer do. */
const QUERIES = 50
const ENOUGH = 1000

/** Times reranking in this thread, each query once and after others: a repeated one would be faster than life. */
export function timePerQuery(
  collection: TrialCollection,
  sizes: readonly number[],
  settings: MethodSettings,
): QueryTime[] {
  const { list } = collection
  const step = Math.max(1, Math.floor(list.length / QUERIES))
  const sample = list.filter((_, i) => i % step === 0).slice(0, QUERIES)
  return sizes.map((size) => {
    const some = withStatistics(collection, { ...settings, contextSize: size })
    const deep = sample.filter(({ docs }) => docs.length >= size)
    const contexts = (deep.length > 0 ? deep : sample).map((own) =>
      viewsOf(collection, own, tokenizerOf(some)),
    )
    // The first calls compile and allocate.
    for (const [query, candidates] of contexts.slice(0, 3)) rerank(query, candidates, some)
    const times: number[] = []
    let total = 0
    for (const [query, candidates] of contexts) {
      const start = performance.now()
      rerank(query, candidates, some)
      const time = performance.now() - start
      times.push(time)
      total += time
      if (total > ENOUGH && times.length >= 5) break
    }
    times.sort((a, b) => a - b)
    const at = (share: number) => times[Math.floor((times.length - 1) * share)]!
    return { size, milliseconds: at(0.5), low: at(0.25), high: at(0.75) }
  })
}
