import type { TokenizerName } from '@kith/core'
import { resolveSettings } from '@kith/core/internal'
import { type RankedQuery, readTexts, writeRun } from '@kith/ir'
import { writeRunParquet } from '@kith/ir/internal'
import { WordIndex, wholeText } from '@kith/stores/internal'
import { writeSidecar } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { jobDefaults } from '../job/job-defaults.ts'
import { nameTokenizer } from '../join/name-tokenizer.ts'
import { type ColumnInputs, columnsOfFiles } from './document-columns.ts'
import type { SearchResult } from './search-run.ts'

/** The inputs of a BM25 search, which needs no embeddings. */
export interface Bm25Inputs extends ColumnInputs {
  bm25: true
  /** The texts of the documents. */
  corpus: string
  /** The texts of the queries. */
  queryText: string
  /** Number of documents per query; default 200. */
  top?: number | undefined
  /** The tokenizer; `auto` detects the tokenizer that fits the corpus. Default `english`. */
  tokenizer?: TokenizerName | 'auto' | undefined
}

/**
 * Searches all documents by BM25 with an index in memory, and writes a run. Returns undefined if
 * the corpus is too large for the index.
 */
export async function searchBm25(
  inputs: Bm25Inputs,
  hooks: Hooks,
): Promise<SearchResult | undefined> {
  const { corpus, queryText, out, top = jobDefaults.top, tokenizer: asked, columns } = inputs
  const named = resolveSettings({ tokenizer: asked })
  const settings = await nameTokenizer(named, { texts: corpus }, hooks)
  const index = new WordIndex(settings)
  let documents = 0
  for await (const entry of readTexts(corpus)) {
    index.add(entry.id, wholeText(entry)!)
    if (!index.complete) return undefined
    documents++
  }
  const queries: { id: string; text: string }[] = []
  for await (const entry of readTexts(queryText))
    queries.push({ id: entry.id, text: wholeText(entry)! })
  const onDone = stageOf(hooks, 'searching by BM25', queries.length)
  const start = performance.now()
  const found: RankedQuery[] = []
  queries.forEach(({ id, text }, i) => {
    const ranked = index.rank(text, top)
    // A run has no line for a query without hits; measures count it as 0.
    if (ranked.ids.length > 0) found.push({ query: id, ...ranked })
    onDone(i + 1)
  })
  const seconds = (performance.now() - start) / 1000
  if (columns) {
    const columnsOf = await columnsOfFiles(inputs)
    try {
      await writeRunParquet(out, found, columnsOf)
    } finally {
      await columnsOf.close()
    }
  } else await writeRun(out, found)
  const { k1, b, tokenizer } = settings
  const made = { bm25: true, tokenizer, k1, b, top, columns }
  await writeSidecar(out, 'search', made, [corpus, queryText])
  return { out, queries: queries.length, documents, perQuery: Math.min(top, documents), seconds }
}
