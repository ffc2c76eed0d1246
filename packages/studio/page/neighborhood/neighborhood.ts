import {
  type CandidateViews,
  type Member,
  type PartialSettings,
  type QueryViews,
  Reranker,
} from '@kith/core'

/** Who is whose neighbor in a picture's rows; row 0 is the query, row i + 1 candidate i. */
export interface Neighborhood {
  /** R: the rows that name each other, without the row itself. */
  reciprocal: number[][]
  /** What R* has besides R. */
  extended: number[][]
  /** Pairs that name each other, each once. */
  mutual: [number, number][]
  /** Pairs of which only the first names the second. */
  oneWay: [number, number][]
}

const method = new Reranker()

/** Finds the neighbors of the query and of all candidates. */
export function findNeighborhood(
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
    rank: all.map(({ nearest }) => nearest.map(rowOf)),
    reciprocal: all.map(({ reciprocal }) => reciprocal.map(rowOf)),
  }
}

function rowOf(member: Member): number {
  return member === 'query' ? 0 : member + 1
}
