import {
  type Background,
  KithError,
  type Matrix,
  type Settings,
  type TermStatistics,
  TermStatisticsBuilder,
  type Tokenizer,
} from '@kith/core'
import { readTexts } from '@kith/ir'
import { TextStore } from '@kith/ir/internal'
import { loadLanguages } from '@kith/languages/load'
import type { Metric } from '../exact/search-exact.ts'
import { textHash, wholeText } from '../whole-text.ts'

/** The methods of a store that a search uses; stores of `@kith/stores` have them. */
export interface SearchStore {
  readonly dimensions: number | undefined
  /** The metric of the search; absent if unknown. */
  readonly metric?: Metric | undefined
  search(
    queries: Matrix,
    options: { top: number; metric?: Metric | undefined; vectors: boolean },
  ): Promise<{ ids: string[]; scores: Float32Array; vectors: Float32Array }[]>
  fetch(
    ids: readonly string[],
    options: { vectors: boolean; texts: boolean },
  ): Promise<(FetchedDocument | undefined)[]>
  /**
   * Finds the ids of the documents that match a text's words best; absent if words cannot be
   * searched.
   */
  searchWords?(text: string, options: { top: number }): Promise<string[]>
  /** Explains why words cannot be searched with the documents' tokenizer; undefined if they can. */
  wordsProblem?(): Promise<string | undefined>
  /** Finds the vectors of documents with the given texts; absent if texts cannot be looked up. */
  textVectors?(texts: readonly string[]): Promise<(Float32Array | undefined)[]>
  /** Returns the term statistics of the documents; undefined if they are unknown. */
  terms?(): Promise<TermStatistics | undefined>
  /** Returns the background for estimating the relevance of hits; undefined if none was made. */
  background?(): Promise<Background | undefined>
  close(): Promise<void>
}

/** A document of a store: its vector and texts, if requested. */
export interface FetchedDocument {
  vector: Float32Array
  title?: string | undefined
  text?: string | undefined
  /** The metadata of a document in memory; stores keep none. */
  metadata?: unknown
}

/** Options for opening documents to search. */
export interface SearchStoreOptions {
  /** The metric for comparing queries and documents; default or `auto`: the store's own metric. */
  metric?: Settings['metric'] | undefined
  /** A file with the texts of the documents, if the store has no texts. */
  corpus?: string | undefined
  /** The tokenizer for counting the terms of `corpus`; `auto` detects it. Default: `english`. */
  tokenizer?: Tokenizer | undefined
}

/**
 * Opens documents to search, as the server does for `/v1/search`.
 *
 * @param address A file of embeddings, a LanceDB folder or `postgres://…`.
 */
export async function openSearchStore(
  address: string,
  { metric, corpus, tokenizer }: SearchStoreOptions = {},
): Promise<SearchStore> {
  // Imported on demand, since most servers search nothing.
  const { openStore } = await import('../open-store.ts')
  const store = await openStore(address, { metric: metric === 'auto' ? undefined : metric })
  if ((await store.count()) === 0) {
    await store.close()
    // The part of an address before the @ contains a password.
    const shown = address.replace(/\/\/[^/]*@/, '//')
    throw new KithError(
      'BAD_INPUT',
      `the store ${shown} has no documents; load some with kith load`,
    )
  }
  return corpus === undefined ? store : storeWithTexts(store, corpus, tokenizer)
}

/** Adds the texts of a corpus file to a store without texts, such as a file of embeddings. */
async function storeWithTexts(
  store: SearchStore,
  corpus: string,
  tokenizer?: Tokenizer,
): Promise<SearchStore> {
  const texts = await TextStore.open(corpus).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  let known: Promise<Map<string, string>> | undefined
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
    async textVectors(asked) {
      known ??= idsByText(corpus)
      const byText = await known
      const ids = asked.map((text) => byText.get(textHash(text)))
      const found = await store.fetch(
        ids.filter((id) => id !== undefined),
        { vectors: true, texts: false },
      )
      let next = 0
      return ids.map((id) => (id === undefined ? undefined : found[next++]?.vector))
    },
    terms: () => countTerms(corpus, tokenizer),
    background: async () => store.background?.(),
    async close() {
      await texts.close()
      await store.close()
    },
  }
}

/** Maps the hashes of all texts of a corpus to ids; of equal texts, to the first id. */
async function idsByText(corpus: string): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  for await (const entry of readTexts(corpus)) {
    const hash = textHash(wholeText(entry)!)
    if (!ids.has(hash)) ids.set(hash, entry.id)
  }
  return ids
}

/** Counts the terms of all texts of a corpus in one pass. */
async function countTerms(corpus: string, tokenizer?: Tokenizer): Promise<TermStatistics> {
  await loadLanguages(tokenizer)
  const builder = new TermStatisticsBuilder({ tokenizer })
  for await (const entry of readTexts(corpus)) builder.add(wholeText(entry)!)
  return builder.finish()
}

/**
 * Adds the store's term statistics to settings if they are needed and the settings have none.
 *
 * @param from The documents whose terms are counted: all, or each query's candidates.
 */
export async function withStatistics(
  settings: Settings,
  store: SearchStore | undefined,
  from: 'store' | 'context' = 'store',
): Promise<Settings> {
  const { mix, tokenizer: asked, statistics: given } = settings
  await loadLanguages(asked)
  if (mix !== 'words') return settings
  const fits = (statistics: TermStatistics): boolean =>
    asked === undefined || asked === 'auto' || statistics.tokenizer === asked
  if (given && !fits(given)) {
    const problem = `term statistics were built with tokenizer '${given.tokenizer}', but this call uses '${String(asked)}'; rebuild them or pass tokenizer: '${given.tokenizer}'`
    throw new KithError('BAD_INPUT', problem)
  }
  await loadLanguages(given?.tokenizer)
  if (given || from === 'context') return settings
  const found = await store?.terms?.()
  if (!found) return settings
  refuseTokenizer(found, asked)
  await loadLanguages(found.tokenizer)
  return { ...settings, statistics: found }
}

/** Throws if a tokenizer differs from the tokenizer of a store's term statistics. */
export function refuseTokenizer(
  { tokenizer: own }: TermStatistics,
  asked: Tokenizer | undefined,
): void {
  if (asked === undefined || asked === 'auto' || asked === own) return
  const name = typeof asked === 'function' ? 'a function' : `'${asked}'`
  throw new KithError(
    'BAD_INPUT',
    `the terms of the store were counted with tokenizer '${own}', but this call uses ${name}; leave out the tokenizer, or load the store again with the tokenizer of this call (kith load --tokenizer)`,
  )
}
