import type { Engine } from './kernel/engine.ts'
import { mix } from './mix.ts'
import type { Settings } from './settings.ts'

/** Sections 2 and 3 over the graph that the engine holds: ranks, reciprocal sets, neighbour vectors. */
export function findNeighbours(engine: Engine, settings: Settings): void {
  engine.rank()
  engine.reciprocal(settings)
  engine.weigh(settings)
}

/** Section 4: s_J(probe, ·) and s*(probe, ·). */
export function mixedSimilarity(
  engine: Engine,
  geometric: Float32Array,
  probe: number,
  settings: Settings,
): { jaccard: Float32Array; mixed: Float64Array } {
  const jaccard = engine.jaccard(probe)
  return { jaccard, mixed: mix(geometric, jaccard, probe, settings) }
}
