import { stat } from 'node:fs/promises'
import { mergeTermStatistics, type TermStatistics, type TokenizerName } from '@kith/core'
import { writeTermStatistics } from '@kith/ir'
import type { TextBlock } from '@kith/ir/internal'
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
  // The number of documents is known only at the end of a file; its size in bytes is known before.
  const total = (await stat(corpus).catch(() => undefined))?.size ?? 0
  const onDone = stageOf(hooks, 'counting terms', total)
  let done = 0
  const inputs = { tokenizer, count: true, wanted: wantedDocuments([]) }
  const parts: TermStatistics[] = []
  for await (const [task, { statistics }] of prepareCorpus(corpus, inputs)) {
    if (statistics) parts.push(statistics)
    if (task !== 'statistics') done += lengthOf(task)
    onDone(Math.min(done, total))
  }
  onDone(total)
  const statistics = mergeTermStatistics(parts)
  await writeTermStatistics(out, statistics)
  await writeSidecar(out, 'terms', { tokenizer, documents: statistics.documents }, [corpus])
  return statistics
}

/** Returns the number of bytes of a block, or of characters if it is not made of lines. */
function lengthOf(block: TextBlock): number {
  if ('from' in block) return block.to - block.from
  if ('bytes' in block) return block.bytes.length
  return block.entries.reduce((length, { text }) => length + text.length, 0)
}
