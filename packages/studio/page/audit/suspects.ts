import { auditCandidates, auditPreset, injectGroundTruth, type TokenizerName } from '@kith/core'
import type { AuditEntry } from '@kith/pipelines/judging'
import type { StudioContext } from '../../src/studio-wire.ts'
import { QueryContext } from '../model/query-context.ts'

/**
 * The unjudged documents of one query with most evidence, as `kith audit` lists them with its
 * defaults; undefined where the relevant documents do not fit a context.
 */
export function suspectsOf(
  source: StudioContext,
  { texts, level }: { texts: boolean; level: number },
): AuditEntry[] | undefined {
  const { query, documents, retrieved, truth } = source
  const { contextSize } = auditPreset
  if (truth.length > contextSize) return undefined
  const context = injectGroundTruth(truth, Array(retrieved).keys(), contextSize)
  const words = new QueryContext(source)
  const grades = context.map((document) => documents[document]!.grade)
  const idOf = (candidate: number): string => documents[context[candidate]!]!.id
  const tokenizer = texts ? (auditPreset.tokenizer as TokenizerName) : undefined
  return auditCandidates(words.query(tokenizer), words.of(context, tokenizer), grades, {
    level,
  }).map(({ candidate, evidence, vouchers }) => ({
    query: query.id,
    document: idOf(candidate),
    evidence,
    vouchers: vouchers.map(({ candidate: known, similarity, jaccard }) => ({
      document: idOf(known),
      similarity,
      jaccard,
    })),
  }))
}
