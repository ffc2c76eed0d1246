import { resolveSettings, tokenizerOf } from '@kith/core/internal'
import { type RankedQuery, readTexts, writeRun } from '@kith/ir'
import { WordIndex, wholeText } from '@kith/stores/internal'
import { writeSidecar } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'

/** The inputs of a BM25 search. */
interface Bm25Inputs {
  /** Texts of the documents. */
  corpus: string
  /** Texts of the queries. */
  queries: string
  /** The run to write. */
  out: string
  /** Documents per query. */
  top: number
}

/**
 * Searches all documents by BM25, through an index in memory, and writes a run. Undefined where the
 * corpus is too large for the index.
 */
export async function searchBm25(
  { corpus, queries, out, top }: Bm25Inputs,
  hooks: Hooks,
): Promise<{ queries: number; seconds: number } | undefined> {
  const settings = resolveSettings()
  const index = new WordIndex(settings)
  for await (const entry of readTexts(corpus)) index.add(entry.id, wholeText(entry)!)
  if (!index.complete) return undefined
  const asked: { id: string; text: string }[] = []
  for await (const entry of readTexts(queries))
    asked.push({ id: entry.id, text: wholeText(entry)! })
  const onDone = stageOf(hooks, 'searching by BM25', asked.length)
  const start = performance.now()
  const found: RankedQuery[] = []
  asked.forEach(({ id, text }, i) => {
    const ranked = index.rank(text, top)
    // A run has no line for a query without hits: measures count it as 0.
    if (ranked.ids.length > 0) found.push({ query: id, ...ranked })
    onDone(i + 1)
  })
  const seconds = (performance.now() - start) / 1000
  await writeRun(out, found)
  const { k1, b } = settings
  const tokenizer = tokenizerOf(settings)
  await writeSidecar(out, 'try', { method: 'bm25', tokenizer, k1, b, top }, [corpus, queries])
  return { queries: asked.length, seconds }
}
