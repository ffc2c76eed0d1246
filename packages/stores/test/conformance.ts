import { describe } from 'vitest'
import { keepsBackground } from './conformance-background.ts'
import { keepsDocuments } from './conformance-documents.ts'
import { keepsTokenizer } from './conformance-languages.ts'
import { findsDocuments } from './conformance-search.ts'
import { keepsTexts } from './conformance-texts.ts'
import { inUse, type StoreUnderTest } from './store-under-test.ts'

/** Every store does the same things and finds what the exact search finds. */
export function conformance(store: StoreUnderTest): void {
  describe(store.name, () => {
    const used = inUse(store)
    keepsDocuments(used)
    findsDocuments(used)
    keepsTokenizer(used)
    keepsBackground(used)
    keepsTexts(used)
  })
}
