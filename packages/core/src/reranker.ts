import { baselines } from './baselines/baselines.ts'
import {
  methodTable,
  type PartialMethodSettings,
  resolveMethodSettings,
} from './baselines/method-settings.ts'
import {
  type Candidates,
  type Context,
  contextOf,
  type Member,
  memberOf,
  type Query,
  requireVectors,
  toQueryViews,
  toViews,
} from './context.ts'
import { KithError } from './error.ts'
import { type Explanation, explainCandidate } from './explanation.ts'
import { checkGroundTruth, type GroundTruth } from './labels/ground-truth.ts'
import {
  labelTable,
  type PartialLabelSettings,
  resolveLabelSettings,
} from './labels/label-settings.ts'
import { type Labels, labelsOf } from './labels/labels.ts'
import { buildGraph } from './method/graph.ts'
import type { Ranking } from './method/order-by-score.ts'
import { rankQuery } from './method/rank-context.ts'
import { namedSimilarities, type Similarities, similarities } from './method/similarities.ts'
import { scoreParts, type TakenApart } from './score-parts.ts'
import { refuseIdle, useOf } from './settings/idle.ts'
import {
  type PartialRerankerSettings,
  type RerankerSettings,
  resolveRerankerSettings,
} from './settings/reranker-settings.ts'
import { settingTable } from './settings/setting-table.ts'
import { type PartialSettings, resolveSettings, type Settings } from './settings/settings.ts'
import { show } from './settings/show.ts'
import { Lender } from './workspace.ts'

/** The neighbors of a query or of a candidate. */
export interface NeighborSets {
  /** The k + 1 nearest members of the context, best first; usually itself first. */
  nearest: Member[]
  /** R*: the query first where it is one of them, then candidates in ascending order. */
  reciprocal: Member[]
}

/** The neighbors of a query and of each of its candidates. */
export interface Neighbors {
  query: NeighborSets
  /** By the candidate's index. */
  candidates: NeighborSets[]
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
  readonly #settings: RerankerSettings
  readonly #memory = new Lender()

  /** @param settings Settings for calls that do not say otherwise; those of methods and labels included. */
  constructor(settings?: PartialRerankerSettings) {
    this.#settings = resolveRerankerSettings(settings)
  }

  /** Orders a query's candidates anew. See {@link rerank}. */
  rerank(query: Query, candidates: Candidates, settings?: PartialMethodSettings): Ranking {
    const { ranking } = this.#settings
    const all = settings === undefined ? ranking : resolveMethodSettings(settings, ranking)
    refuseIdle(settings, all, useOf(candidates), methodTable)
    return this.#memory.lend((memory) =>
      all.method === 'neighbors'
        ? rankQuery(memory, query, candidates, all).ranking
        : baselines[all.method].rank(memory, query, candidates, all),
    )
  }

  /** Similarities of the query or of some candidates to the query and all candidates. See {@link similarity}. */
  similarity(
    query: Query,
    candidates: Candidates,
    probes: readonly Member[],
    settings?: PartialSettings,
  ): Similarities[] {
    const all = withoutWords(this.#resolve(settings))
    return this.#memory.lend((memory) => {
      const context = contextOf(query, candidates, Infinity, memory.postings, all)
      const rows = checkProbes(probes, context)
      return namedSimilarities(similarities(memory.engine(all.kernel), context, rows, all))
    })
  }

  /** The nearest and the reciprocal neighbors of a query and its candidates. See {@link neighbors}. */
  neighbors(query: Query, candidates: Candidates, settings?: PartialSettings): Neighbors {
    const all = this.#resolve(settings)
    return this.#memory.lend((memory) => {
      const context = contextOf(query, candidates, Infinity, memory.postings, all)
      const engine = memory.engine(all.kernel)
      const found = engine.neighbors(buildGraph(engine, context, [], all).graph, all)
      const reciprocals = found.reciprocals()
      const [own, ...others] = found.ranks().map((rank, row) => ({
        nearest: Array.from(rank, memberOf),
        reciprocal: Array.from(reciprocals[row]!, memberOf),
      }))
      return { query: own!, candidates: others }
    })
  }

  /** Training labels from evidence. See {@link smoothLabels}. */
  smoothLabels(
    query: Query,
    candidates: Candidates,
    groundTruth: GroundTruth,
    settings?: PartialLabelSettings,
  ): Labels {
    const { labels } = this.#settings
    const all = settings === undefined ? labels : resolveLabelSettings(settings, labels)
    refuseIdle(settings, all, useOf(candidates, true), labelTable)
    return this.#memory.lend((memory) => {
      const context = contextOf(query, candidates, Infinity, memory.postings, all)
      requireVectors(context, 'smoothLabels')
      const known = checkGroundTruth(groundTruth, context)
      return labelsOf(memory.engine(all.kernel), context, known, all)
    })
  }

  /** Why a candidate moved. See {@link explain}. */
  explain(
    query: Query,
    candidates: Candidates,
    index: number,
    settings?: PartialSettings,
  ): Explanation {
    const all = this.#resolveNeighbors(settings, 'explain')
    refuseIdle(settings, all, useOf(candidates), settingTable)
    return this.#memory.lend((memory) => {
      const ranked = rankQuery(memory, query, candidates, all)
      const count = ranked.ranking.order.length
      if (!Number.isInteger(index) || index < 0 || index >= count) {
        throw new KithError(
          'BAD_INPUT',
          `candidate ${show(index)} does not exist, there are ${count}`,
        )
      }
      const texts = {
        query: toQueryViews(query).text,
        candidate: toViews(candidates).texts?.[index],
      }
      return explainCandidate(index, ranked, all, texts)
    })
  }

  /** The ranking of {@link rerank} with the parts of all scores of its context at once, as `explain` gives those of one. */
  takeApart(query: Query, candidates: Candidates, settings?: PartialSettings): TakenApart {
    const all = this.#resolveNeighbors(settings, 'takeApart')
    refuseIdle(settings, all, useOf(candidates), settingTable)
    return this.#memory.lend((memory) => {
      const ranked = rankQuery(memory, query, candidates, all)
      const parts = scoreParts(ranked, all)
      const context = ranked.chosen ?? Uint32Array.from(parts.keys())
      return { ranking: ranked.ranking, context, parts }
    })
  }

  #resolveNeighbors(settings: PartialSettings | undefined, use: string): Settings {
    const { method } = this.#settings.ranking
    if (method !== 'neighbors') {
      throw new KithError('BAD_SETTING', `${use} is for the method neighbors, not for ${method}`)
    }
    return this.#resolve(settings)
  }

  #resolve(settings: PartialSettings | undefined): Settings {
    const { ranking } = this.#settings
    return settings === undefined ? ranking : resolveSettings(settings, ranking)
  }
}

/** The words score and the support are of the query's ranking: similarities have two terms only. */
function withoutWords(settings: Settings): Settings {
  return settings.mix === 'words' ? { ...settings, mix: 'standard' } : settings
}

/** The rows of the probes, each of which is read once. */
function checkProbes(probes: readonly Member[], { rows }: Context): number[] {
  if (!Array.isArray(probes)) {
    throw new KithError('BAD_INPUT', "probes must be an array, such as ['query', 0]")
  }
  return Array.from(probes, (probe: Member) => {
    if (probe === 'query') return 0
    if (Number.isInteger(probe) && probe >= 0 && probe < rows - 1) return probe + 1
    throw new KithError(
      'BAD_INPUT',
      `probe ${show(probe)} is neither 'query' nor a candidate, of which there are ${rows - 1}, counted from 0`,
    )
  })
}
