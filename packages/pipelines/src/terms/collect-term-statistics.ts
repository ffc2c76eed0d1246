import { stat } from 'node:fs/promises'
import { type TermStatistics, TermStatisticsBuilder, type TokenizerName } from '@kith/core'
import { readTexts, writeTermStatistics } from '@kith/ir'
import { writeSidecar } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { nameTokenizer } from '../join/name-tokenizer.ts'
import { prepareEntry } from '../join/prepared-texts.ts'

/** The inputs of a count of terms. */
export interface TermStatisticsInputs {
  /** Texts of all documents. */
  corpus: string
  /** The file to write: JSON if it ends in .json, else bytes. */
  out: string
  /** How words become terms, `auto` for the tokenizer that fits the texts; default `english`. */
  tokenizer?: TokenizerName | 'auto' | undefined
}

/** Documents between two reports of progress. */
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
  // How many documents a file has is known at its end; its bytes are known before.
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
