import { sfcWords } from '@kith/base/random'
import { type Dim, type Drop, operations as op, type Value } from '@kith/encoder/internal'
import { Tensor } from '@kith/encoder/runtime'

/**
 * Dropout by masks that are fed: kept values are scaled up, so that the mean stays. The
 * masks follow from the seed and the number of the batch alone.
 */
export class Dropout {
  readonly #masks: Value[] = []
  readonly #rate: number
  readonly #seed: number

  /** @param rate The share of numbers that become 0, from 0 to below 1. */
  constructor(rate: number, seed: number) {
    this.#rate = rate
    this.#seed = seed
  }

  /** Called by the builder of an encoder wherever BERT has dropout. */
  get drop(): Drop | undefined {
    if (this.#rate === 0) return undefined
    return (x) => {
      const { graph, shape } = x
      const mask = graph.input(`dropout_${this.#masks.length}`, 'float32', shape)
      this.#masks.push(mask)
      return op.multiply(x, mask)
    }
  }

  /** The masks of a batch, for the sizes that its named axes have. */
  feeds(batch: number, sizes: Record<string, number>): Record<string, Tensor> {
    // A third seed, so that the masks have nothing to do with the order of the examples.
    const words = sfcWords(this.#seed, batch, 1)
    const limit = Math.round(this.#rate * 2 ** 16)
    const kept = 1 / (1 - this.#rate)
    const feeds: Record<string, Tensor> = {}
    for (const { name, shape } of this.#masks) {
      const dims = shape.map((dim: Dim) => (typeof dim === 'number' ? dim : sizes[dim]!))
      const mask = new Float32Array(dims.reduce((product, dim) => product * dim, 1))
      // Two draws from each word; a last one beyond the end is not kept.
      for (let i = 0; i < mask.length; i += 2) {
        const word = words()
        mask[i] = (word & 0xffff) < limit ? 0 : kept
        mask[i + 1] = word >>> 16 < limit ? 0 : kept
      }
      feeds[name] = new Tensor('float32', mask, dims)
    }
    return feeds
  }
}
