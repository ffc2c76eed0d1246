import { Reranker } from '@kith/core'
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
  const rows = context.rows(size, words)
  const found = documents.findIndex(({ id }) => id === probeId)
  const probe = found < size ? found + 1 : 0
  const { order } = method.rerank(context.query(words), context.candidates(words), settings)
  const ranks = new Int32Array(size + 1).fill(-1)
  order.subarray(0, size).forEach((document, place) => {
    ranks[document + 1] = place
  })
  const { geometric, jaccard, mixed } = method.similarity(rows, [probe], settings)
  return {
    neighbourhood: findNeighbourhood(rows, settings),
    projection: projectionOf(context, size),
    ranks,
    probe,
    similarities: { geometric: geometric[0]!, jaccard: jaccard[0]!, mixed: mixed[0]! },
  }
}

/** The picture stays where it is while the settings of the neighbours change. */
function projectionOf(context: QueryContext, size: number): Float32Array {
  if (known?.context !== context || known.size !== size) {
    const { vectors } = context.rows(size, false)
    known = { context, size, projection: project(vectors as Float32Array[]) }
  }
  return known.projection
}
