import { FileError } from '@kith/base'
import { indexTensors } from './checkpoint.ts'
import type { EncoderConfig } from './config.ts'
import { type Family, families, POSITIONS, type Size, TOKEN_TYPES } from './families.ts'

/** A size that config.json says, and where the weights show it. */
interface ShownSize {
  measure: Size
  tensor: string
  axis: 0 | 1
}

/**
 * Throws unless the weights are of the sizes that config.json says. Only their list is read: a
 * config of ten million layers would else keep the machine busy with a graph for which there are
 * no weights.
 *
 * @param file The config's own file, for error messages.
 * @param weights The file of the weights, or the index of several.
 */
export async function checkSizes(
  file: string,
  config: EncoderConfig,
  weights: string,
): Promise<void> {
  const { stored, prefix } = await indexTensors(weights)
  const { layers, tokenTypes } = config
  const { keys, layer, words, positions }: Family = families[config.family]
  let found = 0
  while (found < layers && stored.has(`${prefix}${layer(found).projections[0]}.weight`)) found++
  if (found < layers) {
    const problem = `${keys.layers} is ${layers}, but ${weights} has the weights of ${found} layers only`
    throw new FileError(file, '', problem)
  }
  const { up, gate, down } = layer(0)
  const sizes: ShownSize[] = [
    { measure: 'vocabulary', tensor: words, axis: 0 },
    { measure: 'hidden', tensor: words, axis: 1 },
    ...(positions === 'rotary'
      ? []
      : [{ measure: 'positions', tensor: POSITIONS, axis: 0 } as const]),
    ...(tokenTypes > 0 ? [{ measure: 'tokenTypes', tensor: TOKEN_TYPES, axis: 0 } as const] : []),
    up === gate
      ? { measure: 'intermediate', tensor: `${down}.weight`, axis: 1 }
      : { measure: 'intermediate', tensor: `${up}.weight`, axis: 0 },
  ]
  for (const { measure, tensor, axis } of sizes) {
    const shape = stored.get(prefix + tensor)?.shape
    if (!shape) throw new FileError(weights, '', `has no tensor ${prefix}${tensor}`)
    if (shape[axis] === config[measure]) continue
    const problem = `${keys[measure]} is ${config[measure]}, but the tensor ${prefix}${tensor} of ${weights} is ${shape.join(' × ')}`
    throw new FileError(file, '', problem)
  }
}
