import type { Value } from '@kith/encoder/internal'
import { Tensor } from '@kith/encoder/runtime'

/** Weights as tensors that share their memory: the next run is fed the changed weights. */
export function weightFeeds(
  parameters: readonly Value[],
  weights: ReadonlyMap<string, Float32Array>,
): Record<string, Tensor> {
  return Object.fromEntries(
    parameters.map(({ name, shape }) => {
      return [name, new Tensor('float32', weights.get(name)!, shape as number[])]
    }),
  )
}
