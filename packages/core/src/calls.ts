import { baselines } from './baselines/baselines.ts'
import {
  type MethodSettings,
  methodRows,
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
  type LabelSettings,
  labelRows,
  type PartialLabelSettings,
  resolveLabelSettings,
} from './labels/label-settings.ts'
import { type Labels, labelsOf } from './labels/labels.ts'
import { type PriorOptions, takePriors } from './list/priors.ts'
import { buildGraph } from './method/graph.ts'
import type { Ranking } from './method/order-by-score.ts'
import { type RankedContext, rankQuery } from './method/rank-context.ts'
import { namedSimilarities, type Similarities, similarities } from './method/similarities.ts'
import { scoreParts, type TakenApart } from './score-parts.ts'
import { refuseIdle, useOf } from './settings/idle.ts'
import type { Use } from './settings/setting.ts'
import { settingRows } from './settings/setting-rows.ts'
import { type PartialSettings, resolveSettings, type Settings } from './settings/settings.ts'
import { show } from './settings/show.ts'
import type { Workspace, WorkspacePool } from './workspace.ts'

// The functions that `Reranker` and the package's functions call: plain functions, so that a bundle
// holds only the functions that a program uses. Each takes the memory, the settings of the call, and the
// settings that these change.

/** The neighbors of a query or of a candidate. */
export interface NeighborSets {
  /** The k + 1 nearest members of the context, best first; usually itself first. */
  nearest: Member[]
  /** R*: the query first if it is one of them, then candidates in ascending order. */
  reciprocal: Member[]
}

/** The neighbors of a query and of each of its candidates. */
export interface Neighbors {
  query: NeighborSets
  /** The neighbors of each candidate, by its index. */
  candidates: NeighborSets[]
}

/** @internal The ranking of `rerank`. */
export function rankWith(
  workspaces: WorkspacePool,
  base: MethodSettings,
  query: Query,
  candidates: Candidates,
  settings?: PartialMethodSettings,
): Ranking {
  const all = settings === undefined ? base : resolveMethodSettings(settings, base)
  if (settings !== undefined) refuseIdle(settings, all, useOf(candidates), methodRows)
  return workspaces.use((memory) =>
    all.method === 'neighbors'
      ? rankQuery(memory, query, candidates, all).ranking
      : baselines[all.method].rank(memory, query, candidates, all),
  )
}

/** @internal The similarities of `similarity`. */
export function similarityWith(
  workspaces: WorkspacePool,
  base: Settings,
  query: Query,
  candidates: Candidates,
  probes: readonly Member[],
  settings?: PartialSettings,
): Similarities[] {
  const all = withoutWords(completed(settings, base, candidates, 'similarity'))
  return workspaces.use((memory) => {
    const context = contextOf(query, candidates, Infinity, memory.postings, all)
    const rows = checkProbes(probes, context)
    return namedSimilarities(similarities(memory.engine(all.kernel), context, rows, all))
  })
}

/** @internal The neighbors of `neighbors`. */
export function neighborsWith(
  workspaces: WorkspacePool,
  base: Settings,
  query: Query,
  candidates: Candidates,
  settings?: PartialSettings,
): Neighbors {
  const all = completed(settings, base, candidates, 'neighbors')
  return workspaces.use((memory) => {
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

/** @internal The labels of `smoothLabels`. */
export function labelsWith(
  workspaces: WorkspacePool,
  base: LabelSettings,
  query: Query,
  candidates: Candidates,
  groundTruth: GroundTruth,
  settings?: PartialLabelSettings,
): Labels {
  const all = settings === undefined ? base : resolveLabelSettings(settings, base)
  if (settings !== undefined) {
    refuseIdle(settings, all, useOf(candidates, { job: 'labels' }), labelRows)
  }
  return workspaces.use((memory) => {
    const context = contextOf(query, candidates, Infinity, memory.postings, all)
    requireVectors(context, 'smoothLabels')
    const known = checkGroundTruth(groundTruth, context)
    return labelsOf(memory.engine(all.kernel), context, known, all)
  })
}

/** @internal The explanation of `explain`. */
export function explainWith(
  workspaces: WorkspacePool,
  base: MethodSettings,
  query: Query,
  candidates: Candidates,
  index: number,
  settings?: PartialSettings & PriorOptions,
): Explanation {
  const { own, rest } = takePriors<PartialSettings>(settings)
  return takeWith(workspaces, base, 'explain', query, candidates, rest, (ranked, all) => {
    const count = ranked.ranking.order.length
    if (!Number.isInteger(index) || index < 0 || index >= count) {
      throw new KithError(
        'BAD_INPUT',
        `candidate ${show(index)} does not exist; there are ${count}, counted from 0`,
      )
    }
    const texts = {
      query: toQueryViews(query).text,
      candidate: toViews(candidates).texts?.[index],
    }
    return explainCandidate(index, ranked, all, texts, own)
  })
}

/** @internal The ranking and the parts of its scores of `Reranker.takeApart`. */
export function partsWith(
  workspaces: WorkspacePool,
  base: MethodSettings,
  query: Query,
  candidates: Candidates,
  settings?: PartialSettings,
): TakenApart {
  return takeWith(workspaces, base, 'takeApart', query, candidates, settings, (ranked, all) => {
    const parts = scoreParts(ranked, all)
    const context = ranked.chosen ?? Uint32Array.from(parts.keys())
    return { ranking: ranked.ranking, context, parts }
  })
}

/** Ranks by reciprocal neighbors, and looks at the ranking while its memory lasts. */
function takeWith<T>(
  workspaces: WorkspacePool,
  base: MethodSettings,
  use: string,
  query: Query,
  candidates: Candidates,
  settings: PartialSettings | undefined,
  look: (ranked: RankedContext, all: Settings) => T,
): T {
  if (base.method !== 'neighbors') {
    throw new KithError(
      'BAD_SETTING',
      `${use} works only with the method neighbors, got ${base.method}`,
    )
  }
  const all = completed(settings, base, candidates, 'explanation')
  return workspaces.use((memory: Workspace) => look(rankQuery(memory, query, candidates, all), all))
}

/** The settings of a job that has no method but its own. */
function completed(
  settings: PartialSettings | undefined,
  base: Settings,
  candidates: Candidates,
  job: Use['job'],
): Settings {
  if (settings === undefined) return base
  const all = resolveSettings(settings, base)
  refuseIdle(settings, { ...all, method: undefined }, useOf(candidates, { job }), settingRows)
  return all
}

/** The BM25 score and the support belong to a ranking; similarities have two terms only. */
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
      `probe must be 'query' or a candidate from 0 to ${rows - 2}, got ${show(probe)}`,
    )
  })
}
