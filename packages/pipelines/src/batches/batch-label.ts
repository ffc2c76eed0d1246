import { tokenizerOf } from '@kith/core/internal'
import { loadLanguages } from '@kith/languages/load'
import type { Store } from '@kith/stores'
import { ContextVectors } from '../join/contexts.ts'
import { Join } from '../join/join.ts'
import type { MissingPolicy } from '../join/missing.ts'
import { OpenTexts } from '../join/open-texts.ts'
import { hasRows } from '../labels/label-format.ts'
import { labelContext, labelerOf } from '../labels/label-slice.ts'
import type { LabelWork } from '../labels/label-work.ts'
import { isSummary, noLabels, type QueryLabels, queryLabels } from '../labels/query-labels.ts'
import { batchVectors, documentTexts, queryTexts } from './batch-documents.ts'
import { type BatchQuery, damaged } from './batch-item.ts'
import type { PortionAnswer } from './batch-work.ts'

/** Labels a batch with documents from a store, in the same way as with documents from files. */
export async function labelBatch(
  store: Store,
  work: LabelWork,
  items: readonly BatchQuery[],
): Promise<PortionAnswer> {
  const { settings, layout, level, missing, texts: compares } = work
  const { contextSize } = settings
  const needed = neededIds(items, contextSize, missing)
  const { documents, queries, docs, sources } = await batchVectors(store, items, needed)
  await loadLanguages(tokenizerOf(settings))
  const texts =
    compares || hasRows(layout.format)
      ? OpenTexts.of(queryTexts(items), documentTexts(documents.values()), tokenizerOf(settings))
      : undefined
  const compared = compares ? texts : undefined
  const join = new Join({ queries, docs, texts: compared }, missing)
  const qrels = new Map(items.map(({ query, truth = [] }) => [query, new Map(truth)]))
  const rules = { qrels, level, queries, docs, texts: compared, contextSize }
  const label = labelerOf(settings, new ContextVectors(sources))
  const contexts = items.map((item) => labelContext(rules, join, item))
  const results = contexts.map((context): QueryLabels => {
    if (typeof context === 'string') return noLabels(context)
    return queryLabels(context, label(context), { docs, layout, texts, join })
  })
  return {
    bodies: results.map((result) => Buffer.from(JSON.stringify(result))),
    missing: join.report.all(),
  }
}

/** Decodes the result of one query. */
export function decodeLabels(query: string, body: Uint8Array): QueryLabels {
  let result: Partial<QueryLabels> | null
  try {
    result = JSON.parse(Buffer.from(body).toString('utf8'))
  } catch (error) {
    throw damaged(query, `invalid JSON in the result: ${(error as Error).message}`)
  }
  const { part, summary, answered } = result ?? {}
  if (typeof part === 'string' && isSummary(summary) && typeof answered === 'boolean') {
    return { part, summary, answered }
  }
  throw damaged(query, 'the result is not a label')
}

/**
 * Yields the ground truth and the candidates of the contexts; all candidates if documents without
 * data may be skipped.
 */
function* neededIds(
  items: readonly BatchQuery[],
  contextSize: number,
  missing: MissingPolicy,
): Generator<string> {
  for (const { ids, truth = [] } of items) {
    // Queries without ground truth are left out.
    if (truth.length === 0) continue
    for (const [id] of truth) yield id
    yield* missing === 'skip' ? ids : ids.slice(0, contextSize)
  }
}
