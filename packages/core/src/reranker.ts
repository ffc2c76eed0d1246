import {
  type Candidates,
  type Context,
  contextOf,
  contextOfRows,
  countCandidates,
  type Query,
  type RankingContext,
} from './context.ts'
import { KithError } from './error.ts'
import { type Explanation, explainCandidate } from './explanation.ts'
import { buildGraph } from './graph.ts'
import type { Engine, KernelName } from './kernel/engine.ts'
import { createEngine, kernel } from './kernel/load.ts'
import { findNeighbours, mixedSimilarity } from './neighbourhood.ts'
import { type Ranking, rankCandidates } from './ranking.ts'
import { type PartialSettings, resolveSettings, type Settings } from './settings.ts'

/** Similarities of each probe to all rows of a context, the query's first. */
export interface Similarities {
  /** S[probe, ·] after scaling; with several views Σ a_v · z(S_v[probe, ·]). */
  geometric: Float32Array[]
  /** s_J(probe, ·). */
  jaccard: Float32Array[]
  /** s*(probe, ·). */
  mixed: Float32Array[]
}

/** The neighbours of each row of a context. */
export interface Neighbours {
  /** The k + 1 nearest rows, best first. */
  rank: Uint32Array[]
  /** R*, ascending. */
  reciprocal: Uint32Array[]
}

/**
 * The method with memory that is reused from call to call, for hot loops. Two
 * rerankers never share memory; one serves any number of calls, one at a time.
 *
 * ```ts
 * const reranker = new Reranker({ k: 12 })
 * for (const { query, candidates } of requests) reranker.rerank(query, candidates)
 * ```
 */
export class Reranker {
  readonly #settings: Settings
  readonly #engines = new Map<KernelName, Engine>()

  constructor(settings?: PartialSettings) {
    this.#settings = resolveSettings(settings)
  }

  /** Orders a query's candidates anew. See {@link rerank}. */
  rerank(query: Query, candidates: Candidates, settings?: PartialSettings): Ranking {
    const all = this.#resolve(settings)
    const context = contextOf(query, candidates, all.contextSize)
    const engine = this.#engine(all)
    const [geometric] = buildGraph(engine, context, [0], all)
    findNeighbours(engine, all)
    const { mixed } = mixedSimilarity(engine, geometric!, 0, all)
    return rankCandidates(mixed, countCandidates(candidates))
  }

  /** Similarities of some rows to all rows of a context. See {@link similarity}. */
  similarity(
    context: RankingContext,
    probes: readonly number[],
    settings?: PartialSettings,
  ): Similarities {
    const all = this.#resolve(settings)
    const checked = contextOfRows(context)
    for (const probe of probes) checkRow('probe', probe, checked)
    const engine = this.#engine(all)
    const geometric = buildGraph(engine, checked, probes, all)
    findNeighbours(engine, all)
    const terms = probes.map((probe, p) => mixedSimilarity(engine, geometric[p]!, probe, all))
    return {
      geometric,
      jaccard: terms.map(({ jaccard }) => jaccard),
      mixed: terms.map(({ mixed }) => Float32Array.from(mixed)),
    }
  }

  /** The nearest and the reciprocal neighbours of every row of a context. See {@link neighbours}. */
  neighbours(context: RankingContext, settings?: PartialSettings): Neighbours {
    const all = this.#resolve(settings)
    const engine = this.#engine(all)
    buildGraph(engine, contextOfRows(context), [], all)
    engine.rank()
    engine.reciprocal(all)
    return { rank: engine.ranks(), reciprocal: engine.reciprocals() }
  }

  /** Why a candidate moved. See {@link explain}. */
  explain(
    query: Query,
    candidates: Candidates,
    index: number,
    settings?: PartialSettings,
  ): Explanation {
    const all = this.#resolve(settings)
    const count = countCandidates(candidates)
    if (!Number.isInteger(index) || index < 0 || index >= count) {
      throw new KithError('BAD_INPUT', `candidate ${index} does not exist, there are ${count}`)
    }
    const context = contextOf(query, candidates, all.contextSize)
    const engine = this.#engine(all)
    const [geometric] = buildGraph(engine, context, [0], all)
    findNeighbours(engine, all)
    const { jaccard, mixed } = mixedSimilarity(engine, geometric!, 0, all)
    const ranking = rankCandidates(mixed, count)
    return explainCandidate(index, ranking, geometric!, jaccard, (row) =>
      engine.neighbourVector(row),
    )
  }

  #resolve(settings: PartialSettings | undefined): Settings {
    if (!settings) return this.#settings
    return resolveSettings({ ...this.#settings, ...withoutUndefined(settings) })
  }

  #engine({ kernel: name = kernel() }: Settings): Engine {
    let engine = this.#engines.get(name)
    if (!engine || engine.bytes > KEPT_BYTES) {
      engine = createEngine(name)
      this.#engines.set(name, engine)
    }
    return engine
  }
}

/** A memory that one huge context has grown beyond this is not kept for the next. */
const KEPT_BYTES = 256 * 2 ** 20

function withoutUndefined(settings: PartialSettings): PartialSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}

function checkRow(name: string, row: number, { rows }: Context): void {
  if (Number.isInteger(row) && row >= 0 && row < rows) return
  throw new KithError('BAD_INPUT', `${name} ${row} is not a row of the context, which has ${rows}`)
}
