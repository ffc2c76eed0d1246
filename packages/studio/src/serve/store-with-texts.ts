import { TextStore } from '@kith/ir'
import type { SearchStore } from './searcher.ts'

/** A store whose documents' texts come from a corpus file, such as that of embeddings in a file. */
export async function storeWithTexts(store: SearchStore, corpus: string): Promise<SearchStore> {
  const texts = await TextStore.open(corpus)
  return {
    get dimensions() {
      return store.dimensions
    },
    search: (queries, options) => store.search(queries, options),
    fetch: async (ids) => ids.map((id) => texts.get(id)),
    async close() {
      await texts.close()
      await store.close()
    },
  }
}
