import type { Context } from '../context.ts'
import type { Engine } from '../kernel/engine.ts'
import type { Settings } from '../settings/settings.ts'
import { buildGraph } from './graph.ts'
import type { MetricUse } from './metric.ts'
import { mix } from './mix.ts'

/** The similarity of one probe to a query and to its candidates. */
export interface Similarity {
  toQuery: number
  /** The probe's similarity to each candidate, by the candidate's index. */
  toCandidates: Float32Array
}

/** How similar one probe is to a query and to its candidates. */
export interface Similarities {
  /** S[probe, ·] after scaling; with several views Σ a_v · z(S_v[probe, ·]). */
  geometric: Similarity
  /** s_J(probe, ·). */
  jaccard: Similarity
  /** s*(probe, ·). */
  mixed: Similarity
}

/** Similarities of each probe to all rows of a context, the query's first. */
export interface SimilarityRows {
  geometric: Float64Array[]
  jaccard: Float64Array[]
  mixed: Float32Array[]
  /** How the embeddings were compared; undefined if there are none, or no probes. */
  metric: MetricUse | undefined
  /** The inner products or cosines of the first probe's embedding with the rows', as `metric` says. */
  toQuery: Float64Array | undefined
}

/** Sections 1 to 4 for some probes. */
export function similarities(
  engine: Engine,
  context: Context,
  probes: readonly number[],
  settings: Settings,
): SimilarityRows {
  const { graph, terms } = buildGraph(engine, context, probes, settings)
  const neighborhoods = engine.neighbors(graph, settings)
  const { metric, similarity: toQuery } = terms[0] ?? {}
  const geometric: Float64Array[] = []
  const jaccard: Float64Array[] = []
  const mixed: Float32Array[] = []
  // A loop: V8 gives arrays of `map` another form in compiled code, and compiles their readers again.
  for (let p = 0; p < probes.length; p++) {
    const probe = probes[p]!
    const shared = neighborhoods.jaccard(probe)
    geometric.push(terms[p]!.values)
    jaccard.push(shared)
    mixed.push(new Float32Array(mix(terms[p]!, shared, probe, settings)))
  }
  return { geometric, jaccard, mixed, metric, toQuery }
}

/** The rows of each probe, taken apart into the query's entry and the candidates'. */
export function namedSimilarities({ geometric, jaccard, mixed }: SimilarityRows): Similarities[] {
  return geometric.map((row, p) => ({
    geometric: named(row),
    jaccard: named(jaccard[p]!),
    mixed: named(mixed[p]!),
  }))
}

function named(row: Float32Array | Float64Array): Similarity {
  return { toQuery: row[0]!, toCandidates: new Float32Array(row.subarray(1)) }
}
