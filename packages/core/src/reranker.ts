import {
  type Candidates,
  type Context,
  contextOf,
  contextOfRows,
  type Query,
  type RankingContext,
} from './context.ts'
import { KithError } from './error.ts'
import { type Explanation, explainCandidate } from './explanation.ts'
import { buildGraph } from './graph.ts'
import { checkGroundTruth, type GroundTruth } from './ground-truth.ts'
import type { Engine, KernelName } from './kernel/engine.ts'
import { createEngine, kernel } from './kernel/load.ts'
import {
  type LabelSettings,
  type PartialLabelSettings,
  resolveLabelSettings,
} from './label-settings.ts'
import { type Labels, labelsOf } from './labels.ts'
import { mix } from './mix.ts'
import { type Ranking, rankCandidates } from './ranking.ts'
import { type PartialSettings, resolveSettings, type Settings } from './settings.ts'
import { findNeighbours, type Similarities, similarities } from './similarities.ts'

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
  readonly #settings: LabelSettings
  readonly #engines = new Map<KernelName, Engine>()

  /** @param settings What holds where a call does not say otherwise; those of labels included. */
  constructor(settings?: PartialLabelSettings) {
    this.#settings = resolveLabelSettings(settings)
  }

  /** Orders a query's candidates anew. See {@link rerank}. */
  rerank(query: Query, candidates: Candidates, settings?: PartialSettings): Ranking {
    const all = this.#resolve(settings)
    const context = contextOf(query, candidates, all.contextSize)
    return this.#rank(this.#engine(all), context, all).ranking
  }

  /** Similarities of some rows to all rows of a context. See {@link similarity}. */
  similarity(
    context: RankingContext,
    probes: readonly number[],
    settings?: PartialSettings,
  ): Similarities {
    const all = this.#resolve(settings)
    const checked = contextOfRows(context)
    checkProbes(probes, checked)
    return similarities(this.#engine(all), checked, probes, all)
  }

  /** The nearest and the reciprocal neighbours of every row of a context. See {@link neighbours}. */
  neighbours(context: RankingContext, settings?: PartialSettings): Neighbours {
    const all = this.#resolve(settings)
    const checked = contextOfRows(context)
    const engine = this.#engine(all)
    buildGraph(engine, checked, [], all)
    findNeighbours(engine, all)
    return { rank: engine.ranks(), reciprocal: engine.reciprocals() }
  }

  /** Training labels from evidence. See {@link smoothLabels}. */
  smoothLabels(
    context: RankingContext,
    groundTruth: GroundTruth,
    settings?: PartialLabelSettings,
  ): Labels {
    const all =
      settings === undefined ? this.#settings : resolveLabelSettings(settings, this.#settings)
    const checked = contextOfRows(context)
    return labelsOf(this.#engine(all), checked, checkGroundTruth(groundTruth, checked), all)
  }

  /** Why a candidate moved. See {@link explain}. */
  explain(
    query: Query,
    candidates: Candidates,
    index: number,
    settings?: PartialSettings,
  ): Explanation {
    const all = this.#resolve(settings)
    const context = contextOf(query, candidates, all.contextSize)
    if (!Number.isInteger(index) || index < 0 || index >= context.candidates) {
      const count = context.candidates
      throw new KithError('BAD_INPUT', `candidate ${index} does not exist, there are ${count}`)
    }
    const engine = this.#engine(all)
    const { ranking, geometric, jaccard } = this.#rank(engine, context, all)
    return explainCandidate(index, ranking, geometric, jaccard, (row) =>
      engine.neighbourVector(row),
    )
  }

  /** Sections 1 to 5 with the query as the probe. */
  #rank(
    engine: Engine,
    context: Context,
    settings: Settings,
  ): { ranking: Ranking; geometric: Float32Array; jaccard: Float32Array } {
    const geometric = buildGraph(engine, context, [0], settings)[0]!
    findNeighbours(engine, settings)
    const jaccard = engine.jaccard(0)
    const mixed = mix(geometric, jaccard, 0, settings)
    return { ranking: rankCandidates(mixed, context.candidates), geometric, jaccard }
  }

  #resolve(settings: PartialSettings | undefined): Settings {
    return settings === undefined ? this.#settings : resolveSettings(settings, this.#settings)
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

function checkProbes(probes: readonly number[], { rows }: Context): void {
  if (!Array.isArray(probes)) throw new KithError('BAD_INPUT', 'probes must be an array of rows')
  for (const probe of probes) {
    if (Number.isInteger(probe) && probe >= 0 && probe < rows) continue
    throw new KithError(
      'BAD_INPUT',
      `probe ${probe} is not a row of the context, which has ${rows}`,
    )
  }
}
