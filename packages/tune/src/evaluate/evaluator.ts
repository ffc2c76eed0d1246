import { availableParallelism } from 'node:os'
import { ThreadWorker, WorkerPool, workerEntry } from '@kith/base/pool'
import { KithError, type MethodSettings, rerank } from '@kith/core'
import { tokenizerOf } from '@kith/core/internal'
import { type ScorerOptions, type TrialCollection, viewsOf, withStatistics } from './collection.ts'
import { baselineValues, QueryTrials, type TrialBatch, type TrialInputs } from './query-trials.ts'

/** Evaluates settings on judged queries. */
export interface Evaluator {
  /** The number of queries. */
  readonly queries: number
  /** The group of each query; undefined if each query is its own group. */
  readonly groups?: readonly string[] | undefined
  /** The largest number of candidates of a query. */
  readonly largest: number
  /** Whether there are texts. */
  readonly texts: boolean
  /** The tokenizers for which there are texts. */
  readonly tokenizers: readonly string[]
  /** Each query's value in the original ranking of the run. */
  readonly baseline: Float64Array
  /**
   * Evaluates some settings; returns each query's value for each of them. The values do not depend
   * on the number of workers.
   *
   * @param wanted The queries to evaluate for each of the settings; the values of other queries may
   * be 0.
   */
  evaluate(
    settings: readonly MethodSettings[],
    wanted?: readonly ReadonlySet<number>[],
  ): Promise<Float64Array[]>
  /** Ends the workers; evaluations in progress fail. Resolves when all threads have exited. */
  close(): Promise<void>
  /** Does the same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Options of an evaluator. */
export interface EvaluatorOptions extends ScorerOptions {
  /** The number of worker threads; 0 works in the caller's thread. Default: one per core. */
  workers?: number | undefined
  /** Maximum number of bytes that all workers together keep between rounds. Default: 1 GiB. */
  memory?: number | undefined
}

/** A share of the queries, evaluated in this or another thread. */
interface Share {
  measure(batch: TrialBatch): Promise<Float64Array>
  close(): Promise<void>
}

/** The error message of calls in progress when the evaluator is closed. */
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
  // A query stays with its worker, which keeps the query's context.
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

/** Marks the values to compute, by settings and then by query. */
function maskOf(
  queries: readonly number[],
  settings: readonly MethodSettings[],
  wanted?: readonly ReadonlySet<number>[],
): Uint8Array {
  return Uint8Array.from(
    settings.flatMap((_, s) => queries.map((query) => Number(wanted?.[s]?.has(query) ?? true))),
  )
}

/** Creates a share in a separate thread. If the thread dies, the next round starts another. */
function threadShare(inputs: TrialInputs): Share {
  const pool = new WorkerPool<TrialBatch, Float64Array>({
    start: () => new ThreadWorker({ entry, data: inputs, job: 'a trial worker' }),
    size: 1,
    closed: STOPPED,
  })
  return { measure: (batch) => pool.run(() => batch), close: () => pool.close() }
}

/** A share in the caller's thread, which yields after every query. */
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

/** The time of reranking one query with a context size. */
export interface QueryTime {
  size: number
  /** The median over queries. */
  milliseconds: number
  /** The first and the third quartile. */
  low: number
  high: number
}

/** The number of queries to time per size, and the milliseconds after which timing stops early. */
const QUERIES = 50
const ENOUGH = 1000

/**
 * Times reranking in this thread. Each query runs once and after others: repeating a query would be
 * unrealistically fast.
 */
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
    // The first calls compile code and allocate memory.
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
