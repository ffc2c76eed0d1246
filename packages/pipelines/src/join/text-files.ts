import { KithError } from '@kith/core'

/** Files with texts; those of documents and of queries go together. */
export interface TextFiles {
  corpus?: string | undefined
  queryText?: string | undefined
}

/** Both files, or none. */
export function checkTextPair({
  corpus,
  queryText,
}: TextFiles): { corpus: string; queryText: string } | undefined {
  if (corpus !== undefined && queryText !== undefined) return { corpus, queryText }
  if (corpus === undefined && queryText === undefined) return undefined
  throw new KithError('BAD_INPUT', 'the texts of documents and of queries go together')
}
