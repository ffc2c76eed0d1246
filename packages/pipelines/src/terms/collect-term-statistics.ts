import { stat } from 'node:fs/promises'
import { type TermStatistics, TermStatisticsBuilder, type TokenizerName } from '@kith/core'
import { readTexts, writeTermStatistics } from '@kith/ir'
import { writeSidecar } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { nameTokenizer } from '../join/name-tokenizer.ts'
import { prepareEntry } from '../join/prepare-block.ts'

/** The inputs for counting terms. */
export interface TermStatisticsInputs {
  /** The texts of all documents. */
  corpus: string
  /** The file to write: JSON if the name ends in .json, else binary. */
  out: string
  /** The tokenizer; `auto` detects the tokenizer that fits the texts. Default `english`. */
  tokenizer?: TokenizerName | 'auto' | undefined
}

/** Number of documents between two progress reports. */
const STEP = 1000

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
  for await (const entry of readTexts(corpus)) {
    builder.add(prepareEntry(entry, tokenizer))
    done += entry.text.length
    if (builder.documents % STEP === 0) onDone(Math.min(done, total))
  }
  onDone(total)
  const statistics = builder.finish()
  await writeTermStatistics(out, statistics)
  await writeSidecar(out, 'terms', { tokenizer, documents: statistics.documents }, [corpus])
  return statistics
}
