import { stat } from 'node:fs/promises'
import { type TermStatistics, TermStatisticsBuilder, type TokenizerName } from '@kith/core'
import { type TextEntry, writeTermStatistics } from '@kith/ir'
import { writeSidecar } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { nameTokenizer } from '../join/name-tokenizer.ts'
import { prepareCorpus, wantedDocuments } from '../join/prepared-texts.ts'

/** The inputs for counting terms. */
export interface TermStatisticsInputs {
  /** The texts of all documents. */
  corpus: string
  /** The file to write: JSON if the name ends in .json, else binary. */
  out: string
  /** The tokenizer; `auto` detects the tokenizer that fits the texts. Default `english`. */
  tokenizer?: TokenizerName | 'auto' | undefined
}

/**
 * Counts the terms of a corpus and writes the term statistics, which BM25 scores need, to a file.
 *
 * ```ts
 * await collectTermStatistics({ corpus: 'corpus.jsonl', out: 'terms.bin' })
 * ```
 */
export async function collectTermStatistics(
  { corpus, out, tokenizer: asked }: TermStatisticsInputs,
  hooks: Hooks = {},
): Promise<TermStatistics> {
  const { tokenizer } = await nameTokenizer({ tokenizer: asked }, { texts: corpus }, hooks)
  const builder = new TermStatisticsBuilder({ tokenizer })
  // The number of documents is known only at the end of a file; its size in bytes is known before.
  const total = (await stat(corpus).catch(() => undefined))?.size ?? 0
  const onDone = stageOf(hooks, 'counting terms', total)
  let done = 0
  const inputs = { tokenizer, count: true, wanted: wantedDocuments([]) }
  for await (const [block, { statistics }] of prepareCorpus(corpus, inputs)) {
    builder.merge(statistics!)
    done += 'bytes' in block ? block.bytes.length : lengthOf(block.entries)
    onDone(Math.min(done, total))
  }
  onDone(total)
  const statistics = builder.finish()
  await writeTermStatistics(out, statistics)
  await writeSidecar(out, 'terms', { tokenizer, documents: statistics.documents }, [corpus])
  return statistics
}

function lengthOf(entries: readonly TextEntry[]): number {
  return entries.reduce((length, { text }) => length + text.length, 0)
}
