import { type Explanation, Reranker } from '@kith/core'
import { methodSettings, type PageSettings, usesWords } from '../model/page-settings.ts'
import type { QueryContext } from '../model/query-context.ts'

const method = new Reranker()

/** Why a document stands where it stands. */
export function explain(context: QueryContext, page: PageSettings, document: number): Explanation {
  const words = usesWords(page, context.source.documents[0]?.text !== undefined)
  return method.explain(
    context.query(words),
    context.candidates(words),
    document,
    methodSettings(page, words),
  )
}
