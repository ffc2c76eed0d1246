import { stat } from 'node:fs/promises'
import { type TermStatistics, TermStatisticsBuilder, type TermsName } from '@kith/core'
import { readTexts, writeTerms } from '@kith/ir'
import { writeSidecar } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { prepareEntry } from '../join/prepared-texts.ts'

/** The inputs of a count of terms. */
export interface TermsInputs {
  /** Texts of all documents. */
  corpus: string
  /** The file to write: JSON where it ends in .json, else bytes. */
  out: string
  /** How words become terms; default `english`. */
  terms?: TermsName | undefined
}

/** Documents between two reports of progress. */
const STEP = 1000

/** Counts how often terms occur in a collection, and keeps that in a file for the words score. */
export async function collectTerms(
  { corpus, out, terms = 'english' }: TermsInputs,
  hooks: Hooks = {},
): Promise<TermStatistics> {
  const builder = new TermStatisticsBuilder({ terms })
  // How many documents a file has is known at its end; its bytes are known before.
  const total = (await stat(corpus).catch(() => undefined))?.size ?? 0
  const onDone = stageOf(hooks, 'counting terms', total)
  let done = 0
  for await (const entry of readTexts(corpus)) {
    builder.add(prepareEntry(entry, terms))
    done += entry.text.length
    if (builder.documents % STEP === 0) onDone(Math.min(done, total))
  }
  onDone(total)
  const statistics = builder.finish()
  await writeTerms(out, statistics)
  await writeSidecar(out, 'terms', { terms, documents: statistics.documents }, [corpus])
  return statistics
}
