import { Reranker, type Similarity } from '@kith/core'
import { methodSettings, type PageSettings, usesWords } from '../model/page-settings.ts'
import type { QueryContext } from '../model/query-context.ts'
import { findNeighbourhood, type Neighbourhood } from './neighbourhood.ts'
import { project } from './projection.ts'

/** Everything that the neighbourhood view shows; row 0 is the query, row i + 1 document i. */
export interface Exploration {
  neighbourhood: Neighbourhood
  /** x and y of each row, from −1 to 1. */
  projection: Float32Array
  /** The place of each row in the new ranking; −1 for the query. */
  ranks: Int32Array
  /** The row of the probe, and how similar the others are to it. */
  probe: number
  similarities: { geometric: Float32Array; jaccard: Float32Array; mixed: Float32Array }
}

const method = new Reranker()
let known: { context: QueryContext; size: number; projection: Float32Array } | undefined

/** Looks at a query's context from one of its documents, or from the query where none is named. */
export function explore(
  context: QueryContext,
  page: PageSettings,
  probeId: string | undefined,
): Exploration {
  const { documents, retrieved } = context.source
  const size = Math.min(page.contextSize, retrieved)
  const words = usesWords(page, documents[0]?.text !== undefined)
  const settings = methodSettings(page, words)
  const query = context.query(words)
  const candidates = context.first(size, words)
  const found = documents.findIndex(({ id }) => id === probeId)
  const probe = found < size ? found + 1 : 0
  const { order } = method.rerank(query, context.candidates(words), settings)
  const ranks = new Int32Array(size + 1).fill(-1)
  order.subarray(0, size).forEach((document, place) => {
    ranks[document + 1] = place
  })
  const from = probe === 0 ? 'query' : probe - 1
  const similar = method.similarity(query, candidates, [from], settings)[0]!
  return {
    neighbourhood: findNeighbourhood(query, candidates, settings),
    projection: projectionOf(context, size),
    ranks,
    probe,
    similarities: {
      geometric: rowOf(similar.geometric),
      jaccard: rowOf(similar.jaccard),
      mixed: rowOf(similar.mixed),
    },
  }
}

/** The picture stays where it is while the settings of the neighbours change. */
function projectionOf(context: QueryContext, size: number): Float32Array {
  if (known?.context !== context || known.size !== size) {
    const vector = context.query(false).vector as Float32Array
    const { vectors } = context.first(size, false)
    known = { context, size, projection: project([vector, ...vectors]) }
  }
  return known.projection
}

/** A similarity to every row of the picture. */
function rowOf({ toQuery, toCandidates }: Similarity): Float32Array {
  return Float32Array.of(toQuery, ...toCandidates)
}
