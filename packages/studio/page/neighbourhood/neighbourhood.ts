import { type CandidateViews, type PartialSettings, Reranker } from '@kith/core'

/** Who is whose neighbour in a context; row 0 is the query. */
export interface Neighbourhood {
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

/** Finds the neighbours of all rows. */
export function findNeighbourhood(
  context: CandidateViews,
  settings: PartialSettings,
): Neighbourhood {
  const { rank, reciprocal: extended } = method.neighbours(context, settings)
  const { reciprocal } =
    settings.trust === 0
      ? { reciprocal: extended }
      : method.neighbours(context, { ...settings, trust: 0 })
  const mutual: [number, number][] = []
  const oneWay: [number, number][] = []
  const own = reciprocal.map((set, row) => [...set].filter((other) => other !== row))
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
      [...set].filter((other) => other !== row && !own[row]!.includes(other)),
    ),
    mutual,
    oneWay,
  }
}
