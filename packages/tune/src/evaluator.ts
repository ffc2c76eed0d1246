import { availableParallelism } from 'node:os'
import type { MethodSettings } from '@kith/core'
import type { TrialCollection } from './collection.ts'
import { baselineValues, QueryTrials, type TrialBatch, type TrialInputs } from './query-trials.ts'
import type { ScorerOptions } from './scorer.ts'
import { WorkerLane } from './worker-lane.ts'

/** Measures settings on judged queries. */
export interface Evaluator {
  /** How many queries there are. */
  readonly queries: number
  /** The group of each query; undefined where each is its own. */
  readonly groups?: readonly string[] | undefined
  /** The most candidates that a query has. */
  readonly largest: number
  /** Whether there are texts. */
  readonly texts: boolean
  /** Each query's value as the run ranks it. */
  readonly baseline: Float64Array
  /**
   * For each of some settings each query's value; the same for any number of workers.
   *
   * @param wanted For each settings the queries whose values matter: others may be left at 0.
   */
  evaluate(
    settings: readonly MethodSettings[],
    wanted?: readonly ReadonlySet<number>[],
  ): Promise<Float64Array[]>
  /** Ends the workers; what is not answered yet fails. */
  close(): void
}

/** How an evaluator measures, and on what. */
export interface EvaluatorOptions extends ScorerOptions {
  /** Worker threads; 0 works in the caller's. Default: one per core. */
  workers?: number | undefined
  /** Bytes that all workers together may keep between rounds; default 1 GiB. */
  memory?: number | undefined
}

/** Some queries at work, here or in another thread. */
interface Lane {
  measure(batch: TrialBatch): Promise<Float64Array>
  close(): void
}

/** An evaluator of a collection's queries, divided among worker threads. */
export function createEvaluator(
  collection: TrialCollection,
  { workers = availableParallelism(), memory = 2 ** 30, ...options }: EvaluatorOptions,
): Evaluator {
  const { list } = collection
  const baseline = baselineValues(list, options)
  const count = Math.max(1, Math.min(workers, list.length))
  // A query stays with its worker, which remembers its context.
  const shares = Array.from({ length: count }, (_, lane) =>
    [...list.keys()].filter((query) => query % count === lane),
  )
  const lanes = shares.map((queries): Lane => {
    const own = { ...collection, list: queries.map((query) => list[query]!) }
    const inputs = { ...options, collection: own, memory: memory / count }
    return workers === 0 ? new LocalLane(inputs) : new WorkerLane(inputs)
  })
  const grouped = list.some(({ group }) => group !== undefined)
  return {
    queries: list.length,
    groups: grouped ? list.map(({ id, group }) => group ?? `query ${id}`) : undefined,
    largest: list.reduce((most, { docs }) => Math.max(most, docs.length), 1),
    texts: collection.texts !== undefined,
    baseline,
    async evaluate(settings, wanted) {
      const parts = await Promise.all(
        lanes.map((lane, i) =>
          lane.measure({ settings, mask: maskOf(shares[i]!, settings, wanted) }),
        ),
      )
      return settings.map((_, s) => {
        const values = new Float64Array(list.length)
        shares.forEach((queries, lane) => {
          queries.forEach((query, i) => {
            values[query] = parts[lane]![s * queries.length + i]!
          })
        })
        return values
      })
    },
    close() {
      for (const lane of lanes) lane.close()
    },
  }
}

/** Which values of some queries matter, those of the first settings first. */
function maskOf(
  queries: readonly number[],
  settings: readonly MethodSettings[],
  wanted?: readonly ReadonlySet<number>[],
): Uint8Array {
  return Uint8Array.from(
    settings.flatMap((_, s) => queries.map((query) => Number(wanted?.[s]?.has(query) ?? true))),
  )
}

/** A lane in the caller's thread, which gets time for other things after every query. */
class LocalLane implements Lane {
  readonly #trials: QueryTrials
  #closed = false

  constructor(inputs: TrialInputs) {
    this.#trials = new QueryTrials(inputs)
  }

  async measure(batch: TrialBatch): Promise<Float64Array> {
    const values = new Float64Array(batch.mask.length)
    for (let query = 0; query < this.#trials.queries; query++) {
      if (this.#closed) throw new Error('kith: the trials were stopped')
      this.#trials.measure(query, batch, values)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return values
  }

  close(): void {
    this.#closed = true
  }
}
