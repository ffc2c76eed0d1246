import { checkRegular } from '@kith/base'
import { KithError } from '@kith/core'
import { TextStore } from '@kith/ir/internal'
import { openStore } from '@kith/stores'
import { type StoreAddress, wholeAddress } from '@kith/stores/address'
import { wholeText } from '@kith/stores/internal'
import { openBoth } from '../join/contexts.ts'
import type { TextFiles } from '../join/open-texts.ts'
import { type DocumentPlace, placeOf } from '../join/place.ts'

/** The sources of query and document texts; a store has the texts of its documents. */
interface PairFiles {
  queryText: string
  documents: { corpus: string } | { store: StoreAddress }
}

/** The texts of queries and documents by id, for a cross-encoder. */
export interface PairTexts {
  query(id: string): string | undefined
  /**
   * Reads the texts of documents, in the order of the ids; undefined for a document without a text.
   */
  documents(ids: readonly string[]): Promise<(string | undefined)[]>
  close(): Promise<void>
}

/**
 * Returns the files of the texts; throws unless they are given and can be read twice, since
 * reranking reads them, too.
 */
export function checkPairFiles(inputs: DocumentPlace & TextFiles): PairFiles {
  const { corpus, queryText } = inputs
  const place = placeOf(inputs)
  const documents = 'store' in place ? place : corpus === undefined ? undefined : { corpus }
  if (queryText === undefined || documents === undefined) {
    const problem = 'a cross-encoder needs texts; pass corpus and queryText'
    throw new KithError('BAD_INPUT', problem)
  }
  for (const file of [corpus, queryText]) {
    if (file !== undefined) checkRegular(file, 'the cross-encoder reads the file a second time')
  }
  return { queryText, documents }
}

/** Opens the texts of queries and documents. */
export async function openPairTexts({ queryText, documents }: PairFiles): Promise<PairTexts> {
  const [queries, opened] = await openBoth(TextStore.open(queryText), () =>
    'store' in documents ? storeTexts(documents.store) : fileTexts(documents.corpus),
  )
  return {
    query(id) {
      const entry = queries.get(id)
      return entry && wholeText(entry)
    },
    documents: opened.documents,
    async close() {
      await queries.close()
      await opened.close()
    },
  }
}

type DocumentTexts = Pick<PairTexts, 'documents' | 'close'>

async function fileTexts(corpus: string): Promise<DocumentTexts> {
  const texts = await TextStore.open(corpus)
  return {
    documents: async (ids) => ids.map((id) => wholeText(texts.get(id) ?? {})),
    close: () => texts.close(),
  }
}

async function storeTexts(address: StoreAddress): Promise<DocumentTexts> {
  const store = await openStore(wholeAddress(address))
  return {
    async documents(ids) {
      const found = await store.fetch(ids, { vectors: false })
      return found.map((document) => wholeText(document ?? {}))
    },
    close: () => store.close(),
  }
}
