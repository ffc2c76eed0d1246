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

/** The methods of a store that searching uses; stores of `@kith/stores` have them. */
export interface SearchStore {
  readonly dimensions: number | undefined
  /** The metric of the search; absent if it is unknown. */
  readonly metric?: Metric | undefined
  search(
    queries: Matrix,
    options: { top: number; metric?: Metric | undefined; vectors: boolean },
  ): Promise<{ ids: string[]; scores: Float32Array; vectors: Float32Array }[]>
  fetch(
    ids: readonly string[],
    options: { vectors: boolean; texts: boolean },
  ): Promise<(FetchedDocument | undefined)[]>
  /** The ids of the documents whose words fit a text best; absent if words cannot be searched. */
  searchWords?(text: string, options: { top: number }): Promise<string[]>
  /** Why no words can be searched under the tokenizer of the documents; undefined if they can. */
  wordsProblem?(): Promise<string | undefined>
  /** The vectors of the documents that have some texts; absent if texts cannot be looked up. */
  textVectors?(texts: readonly string[]): Promise<(Float32Array | undefined)[]>
  /** How often terms occur in the documents; undefined if that is not known. */
  terms?(): Promise<TermStatistics | undefined>
  /** The background by which the relevance of hits is estimated; undefined if none was made. */
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

/** How documents to search are opened. */
export interface SearchStoreOptions {
  /** How queries and documents are compared; `auto`, and nothing, is the store's own metric. */
  metric?: Settings['metric'] | undefined
  /** A file with the texts of the documents, if the store has none. */
  corpus?: string | undefined
  /** The tokenizer for counting the terms of `corpus`; `auto` detects it. Default: `english`. */
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
    // The part of an address before the @ contains a password.
    const shown = address.replace(/\/\/[^/]*@/, '//')
    throw new KithError(
      'BAD_INPUT',
      `the store ${shown} has no documents; load some with kith load`,
    )
  }
  return corpus === undefined ? store : storeWithTexts(store, corpus, tokenizer)
}

/** A store whose documents' texts come from a corpus file, such as a file of embeddings. */
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

/** The ids of all documents of a corpus by the hashes of their texts; of equal texts, the first. */
async function idsByText(corpus: string): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  for await (const entry of readTexts(corpus)) {
    const hash = textHash(wholeText(entry)!)
    if (!ids.has(hash)) ids.set(hash, entry.id)
  }
  return ids
}

/** The terms of all texts of a corpus, in one pass over them. */
async function countTerms(corpus: string, tokenizer?: Tokenizer): Promise<TermStatistics> {
  await loadLanguages(tokenizer)
  const builder = new TermStatisticsBuilder({ tokenizer })
  for await (const entry of readTexts(corpus)) builder.add(wholeText(entry)!)
  return builder.finish()
}

/**
 * Settings with the store's term statistics, if they count and there are no others.
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

/** Refuses a tokenizer other than the one that a store's terms were counted with. */
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
