import { KithError } from '@kith/core'
import type { EncoderConfig } from '@kith/encoder'

/** The names of the weights that learn when only the uppermost layers do; without a number, all. */
export function trainedWeights(
  { layers }: EncoderConfig,
  names: readonly string[],
  topLayers: number | undefined,
): Set<string> {
  if (topLayers === undefined) return new Set(names)
  if (!Number.isInteger(topLayers) || topLayers < 1 || topLayers > layers) {
    const problem = `topLayers is ${topLayers}, allowed: whole numbers from 1 to ${layers}`
    throw new KithError('BAD_SETTING', problem)
  }
  return new Set(names.filter((name) => layerOf(name) >= layers - topLayers))
}

/** The number of the layer that a weight belongs to, −1 for the embeddings. */
function layerOf(name: string): number {
  return Number(/\.layer\.(\d+)\./.exec(name)?.[1] ?? -1)
}
