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
import type { Engine } from './kernel/engine.ts'
import { checkGroundTruth, type GroundTruth } from './labels/ground-truth.ts'
import {
  type LabelSettings,
  type PartialLabelSettings,
  resolveLabelSettings,
} from './labels/label-settings.ts'
import { type Labels, labelsOf } from './labels/labels.ts'
import { buildGraph } from './method/graph.ts'
import { mix } from './method/mix.ts'
import { type Ranking, rankCandidates } from './method/ranking.ts'
import { findNeighbours, type Similarities, similarities } from './method/similarities.ts'
import { type PartialSettings, resolveSettings, type Settings } from './settings/settings.ts'
import { show } from './settings/show.ts'
import { Lender } from './workspace.ts'

/** The neighbours of each row of a context. */
export interface Neighbours {
  /** The k + 1 nearest rows, best first. */
  rank: Uint32Array[]
  /** R*, ascending. */
  reciprocal: Uint32Array[]
}

/**
 * The method with memory that is reused from call to call, for hot loops. Two
 * rerankers never share memory. A call from within a call, which a getter among the
 * inputs can make, gets memory of its own.
 *
 * ```ts
 * const reranker = new Reranker({ k: 12 })
 * for (const { query, candidates } of requests) reranker.rerank(query, candidates)
 * ```
 */
export class Reranker {
  readonly #settings: LabelSettings
  readonly #memory = new Lender()

  /** @param settings What holds where a call does not say otherwise; those of labels included. */
  constructor(settings?: PartialLabelSettings) {
    this.#settings = resolveLabelSettings(settings)
  }

  /** Orders a query's candidates anew. See {@link rerank}. */
  rerank(query: Query, candidates: Candidates, settings?: PartialSettings): Ranking {
    const all = this.#resolve(settings)
    return this.#memory.lend((memory) => {
      const context = contextOf(query, candidates, all.contextSize, memory.postings)
      return this.#rank(memory.engine(all.kernel), context, all).ranking
    })
  }

  /** Similarities of some rows to all rows of a context. See {@link similarity}. */
  similarity(
    context: RankingContext,
    probes: readonly number[],
    settings?: PartialSettings,
  ): Similarities {
    const all = this.#resolve(settings)
    return this.#memory.lend((memory) => {
      const checked = contextOfRows(context, memory.postings)
      const rows = checkProbes(probes, checked)
      return similarities(memory.engine(all.kernel), checked, rows, all)
    })
  }

  /** The nearest and the reciprocal neighbours of every row of a context. See {@link neighbours}. */
  neighbours(context: RankingContext, settings?: PartialSettings): Neighbours {
    const all = this.#resolve(settings)
    return this.#memory.lend((memory) => {
      const checked = contextOfRows(context, memory.postings)
      const engine = memory.engine(all.kernel)
      buildGraph(engine, checked, [], all)
      findNeighbours(engine, all)
      return { rank: engine.ranks(), reciprocal: engine.reciprocals() }
    })
  }

  /** Training labels from evidence. See {@link smoothLabels}. */
  smoothLabels(
    context: RankingContext,
    groundTruth: GroundTruth,
    settings?: PartialLabelSettings,
  ): Labels {
    const all =
      settings === undefined ? this.#settings : resolveLabelSettings(settings, this.#settings)
    return this.#memory.lend((memory) => {
      const checked = contextOfRows(context, memory.postings)
      const known = checkGroundTruth(groundTruth, checked)
      return labelsOf(memory.engine(all.kernel), checked, known, all)
    })
  }

  /** Why a candidate moved. See {@link explain}. */
  explain(
    query: Query,
    candidates: Candidates,
    index: number,
    settings?: PartialSettings,
  ): Explanation {
    const all = this.#resolve(settings)
    return this.#memory.lend((memory) => {
      const context = contextOf(query, candidates, all.contextSize, memory.postings)
      if (!Number.isInteger(index) || index < 0 || index >= context.candidates) {
        throw new KithError(
          'BAD_INPUT',
          `candidate ${show(index)} does not exist, there are ${context.candidates}`,
        )
      }
      const engine = memory.engine(all.kernel)
      const { ranking, geometric, jaccard } = this.#rank(engine, context, all)
      return explainCandidate(index, ranking, geometric, jaccard, (row) =>
        engine.neighbourVector(row),
      )
    })
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
    const ranking = rankCandidates(mixed, context.candidates)
    return { ranking, geometric: geometric.values, jaccard }
  }

  #resolve(settings: PartialSettings | undefined): Settings {
    return settings === undefined ? this.#settings : resolveSettings(settings, this.#settings)
  }
}

/** The probes, read once. */
function checkProbes(probes: readonly number[], { rows }: Context): readonly number[] {
  if (!Array.isArray(probes)) throw new KithError('BAD_INPUT', 'probes must be an array of rows')
  return Array.from(probes, (probe: number) => {
    if (Number.isInteger(probe) && probe >= 0 && probe < rows) return probe
    throw new KithError(
      'BAD_INPUT',
      `probe ${show(probe)} is not a row of the context, which has ${rows}`,
    )
  })
}
