import type { Context } from '../context.ts'
import type { Engine } from '../kernel/engine.ts'
import type { Settings } from '../settings/settings.ts'
import { buildGraph } from './graph.ts'
import { mix } from './mix.ts'

/** Similarities of each probe to all rows of a context, the query's first. */
export interface Similarities {
  /** S[probe, ·] after scaling; with several views Σ a_v · z(S_v[probe, ·]). */
  geometric: Float32Array[]
  /** s_J(probe, ·). */
  jaccard: Float32Array[]
  /** s*(probe, ·). */
  mixed: Float32Array[]
}

/** Sections 1 to 4 for some probes. */
export function similarities(
  engine: Engine,
  context: Context,
  probes: readonly number[],
  settings: Settings,
): Similarities {
  const geometric = buildGraph(engine, context, probes, settings)
  findNeighbours(engine, settings)
  const jaccard = probes.map((probe) => engine.jaccard(probe))
  const mixed = probes.map(
    (probe, p) => new Float32Array(mix(geometric[p]!, jaccard[p]!, probe, settings)),
  )
  return { geometric: geometric.map(({ values }) => values), jaccard, mixed }
}

/** Sections 2 and 3 over the graph that the engine holds: ranks, reciprocal sets, neighbour vectors. */
export function findNeighbours(engine: Engine, settings: Settings): void {
  engine.rank()
  engine.reciprocal(settings)
  engine.weigh(settings)
}
