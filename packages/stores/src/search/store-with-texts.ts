import { type TermStatistics, TermStatisticsBuilder, type Tokenizer } from '@kith/core'
import { readTexts, TextStore } from '@kith/ir'
import { type SearchStore, wholeText } from './search-store.ts'

/** A store whose documents' texts come from a corpus file, such as that of embeddings in a file. */
export async function storeWithTexts(
  store: SearchStore,
  corpus: string,
  tokenizer?: Tokenizer,
): Promise<SearchStore> {
  const texts = await TextStore.open(corpus).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  return {
    get dimensions() {
      return store.dimensions
    },
    get metric() {
      return store.metric
    },
    search: (queries, options) => store.search(queries, options),
    async fetch(ids, options) {
      const documents = await store.fetch(ids, { ...options, texts: false })
      if (!options.texts) return documents
      return documents.map((document, i) => document && { ...document, ...texts.get(ids[i]!) })
    },
    terms: () => countTerms(corpus, tokenizer),
    async close() {
      await texts.close()
      await store.close()
    },
  }
}

/** The terms of all texts of a corpus, in one pass over them. */
async function countTerms(corpus: string, tokenizer?: Tokenizer): Promise<TermStatistics> {
  const builder = new TermStatisticsBuilder({ tokenizer })
  for await (const entry of readTexts(corpus)) builder.add(wholeText(entry)!)
  return builder.finish()
}
