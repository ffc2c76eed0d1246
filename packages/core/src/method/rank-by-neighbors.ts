import type { Context } from '../context.ts'
import type { Engine } from '../kernel/engine.ts'
import type { Settings } from '../settings/settings.ts'
import { buildGraph } from './graph.ts'
import { type GeometricTerm, mix } from './mix.ts'
import { type Ranking, rankCandidates } from './ranking.ts'
import { findNeighbors } from './similarities.ts'

/** A ranking and the two terms of its scores, which have the query's own entry at 0. */
export interface RankingParts {
  ranking: Ranking
  geometric: GeometricTerm
  jaccard: Float32Array
}

/** Sections 1 to 5 with the query as the probe. */
export function rankByNeighbors(
  engine: Engine,
  context: Context,
  settings: Settings,
): RankingParts {
  const geometric = buildGraph(engine, context, [0], settings)[0]!
  findNeighbors(engine, settings)
  const jaccard = engine.jaccard(0)
  const mixed = mix(geometric, jaccard, 0, settings)
  const ranking = rankCandidates(mixed, context.candidates, geometric.metric)
  return { ranking, geometric, jaccard }
}
