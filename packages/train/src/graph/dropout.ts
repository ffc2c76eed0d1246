import { sfcWords } from '@kith/base/random'
import { type Dim, type Drop, operations as op, type Value } from '@kith/encoder/internal'
import { Tensor } from '@kith/encoder/runtime'

/**
 * Dropout with masks as inputs: kept values are scaled up to preserve the mean. The masks depend
 * only on the seed and the number of the batch.
 */
export class Dropout {
  readonly #masks: Value[] = []
  readonly #rate: number
  readonly #seed: number

  /** @param rate The fraction of values to set to 0, in [0, 1). */
  constructor(rate: number, seed: number) {
    this.#rate = rate
    this.#seed = seed
  }

  /**
   * A hook for the encoder's builder, which calls it at every dropout of BERT; undefined at rate 0.
   */
  get drop(): Drop | undefined {
    if (this.#rate === 0) return undefined
    return (x) => {
      const { graph, shape } = x
      const mask = graph.input(`dropout_${this.#masks.length}`, 'float32', shape)
      this.#masks.push(mask)
      return op.multiply(x, mask)
    }
  }

  /** Returns the masks of a batch, for the sizes of its named axes. */
  feeds(batch: number, sizes: Record<string, number>): Record<string, Tensor> {
    // The third seed makes the masks independent of the order of the examples.
    const words = sfcWords(this.#seed, batch, 1)
    const limit = Math.round(this.#rate * 2 ** 16)
    const kept = 1 / (1 - this.#rate)
    const feeds: Record<string, Tensor> = {}
    for (const { name, shape } of this.#masks) {
      const dims = shape.map((dim: Dim) => (typeof dim === 'number' ? dim : sizes[dim]!))
      const mask = new Float32Array(dims.reduce((product, dim) => product * dim, 1))
      // Each word gives two draws; writing past the end of the mask has no effect.
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
