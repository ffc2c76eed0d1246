import { type Member, memberOf } from './context.ts'
import type { NeighbourVector } from './kernel/engine.ts'
import type { Ranking } from './method/ranking.ts'

/** A neighbour that the query and a candidate have in common. */
export interface SharedNeighbour {
  /** The neighbour: the query itself, or a candidate. */
  member: Member
  /** Its weight in the query's neighbour vector. */
  queryWeight: number
  /** Its weight in the candidate's neighbour vector. */
  candidateWeight: number
}

/** Why a candidate stands where it stands. */
export interface Explanation {
  index: number
  /** Its place in the given order, from 1. */
  rankBefore: number
  /** Its place in the new order, from 1. */
  rankAfter: number
  /** Its score in the new order: for a candidate of the context, s*. */
  score: number
  /** Whether it is among the first `contextSize`; the others are not looked at, and keep their order. */
  inContext: boolean
  /** Its geometric similarity to the query, before mixing; 0 outside the context. */
  geometric: number
  /** How much its neighbourhood overlaps the query's, from 0 to 1; 0 outside the context. */
  jaccard: number
  /** The reciprocal neighbours that vouch for it: those it shares with the query, by shared weight, descending. */
  shared: SharedNeighbour[]
}

/** Gathers why a candidate moved; the similarities have the query's own row at 0. */
export function explainCandidate(
  index: number,
  { order, scores }: Ranking,
  geometric: Float32Array,
  jaccard: Float32Array,
  vectorOf: (row: number) => NeighbourVector,
): Explanation {
  const row = index + 1
  const inContext = row < geometric.length
  const place = order.indexOf(index)
  return {
    index,
    rankBefore: index + 1,
    rankAfter: place + 1,
    score: scores[place]!,
    inContext,
    geometric: inContext ? geometric[row]! : 0,
    jaccard: inContext ? jaccard[row]! : 0,
    shared: inContext ? sharedNeighbours(vectorOf(0), vectorOf(row)) : [],
  }
}

function sharedNeighbours(query: NeighbourVector, candidate: NeighbourVector): SharedNeighbour[] {
  const shared: SharedNeighbour[] = []
  query.columns.forEach((row, q) => {
    const queryWeight = query.weights[q]!
    const candidateWeight = candidate.weights[candidate.columns.indexOf(row)] ?? 0
    if (queryWeight > 0 && candidateWeight > 0) {
      shared.push({ member: memberOf(row), queryWeight, candidateWeight })
    }
  })
  const overlap = (neighbour: SharedNeighbour): number =>
    Math.min(neighbour.queryWeight, neighbour.candidateWeight)
  // The columns ascend and sorting is stable: the query and lower candidates come first among equals.
  return shared.sort((a, b) => overlap(b) - overlap(a))
}
