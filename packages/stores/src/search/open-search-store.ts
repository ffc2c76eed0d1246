import { KithError, type Settings, type Tokenizer } from '@kith/core'
import type { SearchStore } from './search-store.ts'
import { storeWithTexts } from './store-with-texts.ts'

/** How documents to search are opened. */
export interface SearchStoreOptions {
  /** How queries and documents are compared; `auto`, and nothing, is the store's own metric. */
  metric?: Settings['metric'] | undefined
  /** A file with the texts of the documents, where the store has none. */
  corpus?: string | undefined
  /** How words become terms where those of `corpus` are counted; default `english`. */
  tokenizer?: Tokenizer | undefined
}

/**
 * Opens documents to search, as `/v1/search` of the server does.
 *
 * @param address A file of embeddings, a LanceDB folder or `postgres://…`.
 */
export async function openSearchStore(
  address: string,
  { metric, corpus, tokenizer }: SearchStoreOptions = {},
): Promise<SearchStore> {
  // Loaded here, since most servers search nothing.
  const { openStore } = await import('../open-store.ts')
  const store = await openStore(address, { metric: metric === 'auto' ? undefined : metric })
  if ((await store.count()) === 0) {
    await store.close()
    // What stands before the @ of an address is a password.
    const shown = address.replace(/\/\/[^/]*@/, '//')
    throw new KithError('BAD_INPUT', `the store ${shown} has no documents: kith load brings some`)
  }
  return corpus === undefined ? store : storeWithTexts(store, corpus, tokenizer)
}
