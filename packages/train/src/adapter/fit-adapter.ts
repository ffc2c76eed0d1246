import type { DeviceOptions } from '../graph/session.ts'
import { AdapterModel, type AdapterOrigin } from '../models/adapter-model.ts'
import { AdapterObjective, type AdapterProblem } from './adapter-objective.ts'
import { type LbfgsState, minimize } from './lbfgs.ts'

/** Iterations of a fit: more iterations do not raise the gain on held-out queries. */
export const FIT_ITERATIONS = 30

/** A problem to fit an adapter to. */
export interface FitJob extends AdapterProblem, DeviceOptions {
  iterations?: number | undefined
  /** The embeddings that the adapter will belong to. */
  origin?: AdapterOrigin | undefined
  /** The state of a fit that was stopped. */
  state?: LbfgsState | undefined
  onIteration?: ((state: LbfgsState) => void | Promise<void>) | undefined
}

/** Fits a linear adapter to queries by L-BFGS, full batch, from the identity. */
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
