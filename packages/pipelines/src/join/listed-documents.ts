import type { EmbeddingIds, IdList } from '@kith/ir/internal'
import type { DocumentRows } from './join.ts'

/** The rows of documents by the numbers of their ids in a list, which are found without making strings. */
export class ListedDocuments implements DocumentRows<number> {
  readonly #ids: EmbeddingIds
  readonly #list: IdList

  /** @param list The ids that are asked for by their numbers. */
  constructor(ids: EmbeddingIds, list: IdList) {
    this.#ids = ids
    this.#list = list
  }

  rowOf(id: number | string): number | undefined {
    if (typeof id === 'string') return this.#ids.rowOf(id)
    const row = this.#ids.find(this.#list, id)
    return row < 0 ? undefined : row
  }

  nameOf(id: number | string): string {
    return typeof id === 'string' ? id : this.#list.get(id)
  }
}
