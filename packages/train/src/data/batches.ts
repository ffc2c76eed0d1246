import { sfcWords, shuffle } from '@kith/ir/random'

/**
 * The order in which examples are seen: epoch after epoch, each shuffled by the seed and
 * its own number, as one endless row that batches are cut from. So the number of a
 * batch is all that has to be remembered to go on after it.
 */
export class Batches {
  #epoch = -1
  #order: Uint32Array = new Uint32Array()

  constructor(
    readonly examples: number,
    readonly size: number,
    readonly seed: number,
  ) {}

  /** The examples of a batch, the first batch being 0. */
  at(batch: number): number[] {
    return Array.from({ length: this.size }, (_, i) => this.#example(batch * this.size + i))
  }

  #example(place: number): number {
    const epoch = Math.floor(place / this.examples)
    if (epoch !== this.#epoch) {
      const inOrder = new Uint32Array(this.examples).map((_, i) => i)
      this.#order = shuffle(inOrder, sfcWords(this.seed, epoch))
      this.#epoch = epoch
    }
    return this.#order[place % this.examples]!
  }
}
