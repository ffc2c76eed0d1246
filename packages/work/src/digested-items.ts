import { createHash } from 'node:crypto'
import { checkStorable } from '@kith/stores/postgres'
import type { Batch, BatchItem } from './batch.ts'

/** Items that pass by once, counted and digested with everything else that makes the batch. */
export class DigestedItems {
  count = 0
  readonly #hash = createHash('sha256')
  readonly #items: Iterable<BatchItem> | AsyncIterable<BatchItem>

  constructor({ kind, settings }: Batch, items: Iterable<BatchItem> | AsyncIterable<BatchItem>) {
    this.#items = items
    this.#hash.update(JSON.stringify([kind, settings]))
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<BatchItem> {
    for await (const item of this.#items) {
      checkStorable(`the query ${JSON.stringify(item.query)}`, item.query)
      this.count++
      this.#hash.update(`\n${JSON.stringify(item.query)} ${item.body.length}\n`)
      this.#hash.update(item.body)
      yield item
    }
  }

  digest(): string {
    return this.#hash.digest('hex')
  }
}
