import { type Explanation, Reranker } from '@kith/core'
import type { PageSettings } from '../model/page-settings.ts'
import type { QueryContext } from '../model/query-context.ts'

const method = new Reranker()

/** Why a document stands where it stands. */
export function explain(context: QueryContext, page: PageSettings, document: number): Explanation {
  const { query, candidates, settings, tokenizer } = context.ranking(page)
  // The terms of a prepared text have no names.
  const asked = tokenizer ? { ...query, text: context.source.query.text! } : query
  return method.explain(asked, candidates, document, settings)
}
