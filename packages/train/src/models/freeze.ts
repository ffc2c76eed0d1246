import { range } from '@kith/core/internal'
import type { EncoderConfig } from '@kith/encoder'

/** The names of the weights that learn when only the uppermost layers do; without a number, all. */
export function trainedWeights(
  { layers }: EncoderConfig,
  names: readonly string[],
  topLayers: number | undefined,
): Set<string> {
  if (topLayers === undefined) return new Set(names)
  range({ from: 1, to: layers, integer: true })('topLayers', topLayers)
  return new Set(names.filter((name) => layerOf(name) >= layers - topLayers))
}

/** The number of the lowest layer with a weight that learns, −1 where the embeddings do; above all where nothing does. */
export function lowestTrained({ layers }: EncoderConfig, trained: ReadonlySet<string>): number {
  return Math.min(layers, ...Array.from(trained, layerOf))
}

/** The number of the layer that a weight belongs to, −1 for the embeddings; the last normalisation is above all layers. */
function layerOf(name: string): number {
  if (name.startsWith('final_norm.')) return Infinity
  return Number(/(?:^|\.)layers?\.(\d+)\./.exec(name)?.[1] ?? -1)
}
