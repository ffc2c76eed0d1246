import type { DocumentVectors } from '../data/training-query.ts'
import type { DeviceOptions } from '../graph/session.ts'
import { AdapterModel, type AdapterOrigin } from '../models/adapter-model.ts'
import { AdapterObjective, type AdapterProblem } from './adapter-objective.ts'
import { type LbfgsState, minimize } from './lbfgs.ts'

/** Default number of iterations: more iterations do not raise the gain on held-out queries. */
export const FIT_ITERATIONS = 30

/** A problem to fit an adapter to, with options. */
export interface FitJob extends AdapterProblem, DeviceOptions {
  iterations?: number | undefined
  /** The embeddings that the adapter is for. */
  origin?: AdapterOrigin | undefined
  /** The state of a stopped fit, to resume from. */
  state?: LbfgsState | undefined
  onIteration?: ((state: LbfgsState) => void | Promise<void>) | undefined
}

/** Fits a linear adapter to queries with full-batch L-BFGS, starting from the identity. */
export async function fitAdapter(job: FitJob): Promise<{ model: AdapterModel; state: LbfgsState }> {
  const { dimensions } = job.documents
  const { iterations = FIT_ITERATIONS, state, onIteration, origin } = job
  const model = new AdapterModel({ kind: 'linear', dimensions, normalize: true, origin })
  const weights = model.weights.get('up.weight')!
  const objective = await AdapterObjective.open(job, job)
  try {
    const found = await minimize(
      (point, gradient) => objective.evaluate(point, gradient),
      state ?? weights,
      { iterations, onIteration },
    )
    weights.set(found.point)
    return { model, state: found }
  } finally {
    await objective.close()
  }
}

/**
 * Wraps documents so that their vectors have length 1, for embeddings that are searched by cosine.
 */
export function unitDocuments(documents: DocumentVectors): DocumentVectors {
  const { rows, dimensions } = documents
  return {
    rows,
    dimensions,
    read: (from, to, into) => unit(documents.read(from, to, into), dimensions),
    gather: (list, into) => unit(documents.gather(list, into), dimensions),
  }
}

/** Scales rows to length 1, in place; a row of zeros stays unchanged. */
function unit(rows: Float32Array, dimensions: number): Float32Array {
  for (let from = 0; from < rows.length; from += dimensions) {
    const row = rows.subarray(from, from + dimensions)
    const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0))
    if (length > 0) for (let i = 0; i < dimensions; i++) row[i] = row[i]! / length
  }
  return rows
}
