import { formatByName } from '@kith/ir/internal'
import type { TextFiles } from './open-texts.ts'
import type { DocumentPlace } from './stores.ts'

/** The inputs of work on a run. */
type RunInputs = { run: string } & DocumentPlace & TextFiles

/**
 * Takes the embeddings of documents, and their texts if queries have texts, from the run itself where
 * it is Parquet and nothing else is named.
 */
export function withFrame<T extends RunInputs>(inputs: T): T {
  const { run, docs, store, corpus, queryText } = inputs
  if (formatByName(run) !== 'parquet' || store !== undefined) return inputs
  const own = queryText === undefined ? undefined : run
  return { ...inputs, docs: docs ?? run, corpus: corpus ?? own }
}
