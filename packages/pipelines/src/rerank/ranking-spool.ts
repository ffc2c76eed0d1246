import { TemporaryFile } from '@kith/base'
import type { RankedQuery } from '@kith/ir'

/** Rankings in a temporary file, in their order: a run that waits for its next step need not fit in memory. */
export class RankingSpool implements Iterable<RankedQuery> {
  readonly #file = new TemporaryFile('rankings')
  /** Where each ranking ends. */
  readonly #ends: number[] = []

  constructor() {
    this.#file.hide()
  }

  /** How many rankings there are. */
  get size(): number {
    return this.#ends.length
  }

  add({ query, ids, scores }: RankedQuery): void {
    this.#file.append(Buffer.from(JSON.stringify([query, ids, Array.from(scores)])))
    this.#ends.push(this.#file.size)
  }

  *[Symbol.iterator](): Generator<RankedQuery> {
    let from = 0
    for (const end of this.#ends) {
      const bytes = Buffer.allocUnsafe(end - from)
      this.#file.read(bytes, from)
      from = end
      const [query, ids, scores] = JSON.parse(bytes.toString('utf8')) as [
        string,
        string[],
        number[],
      ]
      yield { query, ids, scores }
    }
  }

  /** Closes and removes the file. */
  close(): Promise<void> {
    return this.#file.close()
  }
}
