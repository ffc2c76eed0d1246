import {
  type CandidateViews,
  type Member,
  type PartialSettings,
  type QueryViews,
  Reranker,
  type Similarity,
} from '@kith/core'
import { mixOf, type PageSettings } from '../model/page-settings.ts'
import type { QueryContext } from '../model/query-context.ts'
import { project } from './projection.ts'

/** Everything that the neighborhood view shows; row 0 is the query, row i + 1 the context's candidate i. */
export interface Exploration {
  /** The documents of the context, in the order of the run: row i + 1 is at i. */
  members: number[]
  neighborhood: Neighborhood
  /** x and y of each row, from −1 to 1. */
  projection: Float32Array
  /** The place of each row in the new ranking; −1 for the query. */
  ranks: Int32Array
  /** The row of the probe, and how similar the others are to it. */
  probe: number
  similarities: {
    geometric: Float32Array
    jaccard: Float32Array
    /** Undefined if the ranking does not mix these two alone. */
    mixed: Float32Array | undefined
  }
}

const method = new Reranker()
let known: { context: QueryContext; members: string; projection: Float32Array } | undefined

/** Looks at a query's context from one of its documents, or from the query if none is named. */
export function explore(
  context: QueryContext,
  page: PageSettings,
  probeId: string | undefined,
): Exploration {
  const { documents } = context.source
  const { query, candidates: all, settings, tokenizer } = context.ranking(page)
  const { ranking, context: chosen } = method.takeApart(query, all, settings)
  const members = Array.from(chosen).sort((a, b) => a - b)
  const candidates = context.of(members, tokenizer)
  const probe = members.findIndex((document) => documents[document]!.id === probeId) + 1
  const ranks = new Int32Array(members.length + 1).fill(-1)
  ranking.order.subarray(0, members.length).forEach((document, place) => {
    ranks[members.indexOf(document) + 1] = place
  })
  const from = probe === 0 ? 'query' : probe - 1
  const similar = method.similarity(query, candidates, [from], settings)[0]!
  return {
    members,
    neighborhood: findNeighborhood(query, candidates, settings),
    projection: projectionOf(context, members),
    ranks,
    probe,
    similarities: {
      geometric: rowOf(similar.geometric),
      jaccard: rowOf(similar.jaccard),
      mixed: mixOf(page, context) === 'words' ? undefined : rowOf(similar.mixed),
    },
  }
}

/** The picture stays where it is while the settings of the neighbors change. */
function projectionOf(context: QueryContext, members: readonly number[]): Float32Array {
  const name = members.join(' ')
  if (known?.context !== context || known.members !== name) {
    const vector = context.query(undefined).vector as Float32Array
    const { vectors } = context.of(members, undefined)
    known = { context, members: name, projection: project([vector, ...vectors]) }
  }
  return known.projection
}

/** A similarity to every row of the picture. */
function rowOf({ toQuery, toCandidates }: Similarity): Float32Array {
  return Float32Array.of(toQuery, ...toCandidates)
}

/** The neighbor relations in a picture's rows; row 0 is the query, row i + 1 candidate i. */
export interface Neighborhood {
  /** R: the rows that name each other, without the row itself. */
  reciprocal: number[][]
  /** The members of R* outside R. */
  extended: number[][]
  /** Pairs that name each other, each once. */
  mutual: [number, number][]
  /** Pairs of which only the first names the second. */
  oneWay: [number, number][]
}

/** Finds the neighbors of the query and of all candidates. */
function findNeighborhood(
  query: QueryViews,
  candidates: CandidateViews,
  settings: PartialSettings,
): Neighborhood {
  const { rank, reciprocal: extended } = neighborRows(query, candidates, settings)
  const { reciprocal } =
    settings.trust === 0
      ? { reciprocal: extended }
      : neighborRows(query, candidates, { ...settings, trust: 0 })
  const mutual: [number, number][] = []
  const oneWay: [number, number][] = []
  const own = reciprocal.map((set, row) => set.filter((other) => other !== row))
  rank.forEach((nearest, row) => {
    const set = new Set(own[row]!)
    for (const other of nearest) {
      if (other === row) continue
      if (!set.has(other)) oneWay.push([row, other])
      else if (row < other) mutual.push([row, other])
    }
  })
  return {
    reciprocal: own,
    extended: extended.map((set, row) =>
      set.filter((other) => other !== row && !own[row]!.includes(other)),
    ),
    mutual,
    oneWay,
  }
}

/** The neighbors of each row, as rows. */
function neighborRows(
  query: QueryViews,
  candidates: CandidateViews,
  settings: PartialSettings,
): { rank: number[][]; reciprocal: number[][] } {
  const found = method.neighbors(query, candidates, settings)
  const all = [found.query, ...found.candidates]
  return {
    rank: all.map(({ nearest }) => nearest.map(memberRow)),
    reciprocal: all.map(({ reciprocal }) => reciprocal.map(memberRow)),
  }
}

function memberRow(member: Member): number {
  return member === 'query' ? 0 : member + 1
}
