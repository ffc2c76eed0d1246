import { injectGroundTruth, Reranker } from '@kith/core'
import type { StudioContext } from '../../src/studio-wire.ts'
import { QueryContext } from '../model/query-context.ts'
import type { Suspect } from './audit-messages.ts'

/** As `kith audit` has it: an audit looks deeper than a reranking. */
export const AUDIT_CONTEXT = 200
/** Documents that are listed for a query, and relevant ones that are named for each. */
const [PER_QUERY, VOUCHERS] = [10, 3]

const method = new Reranker({ contextSize: AUDIT_CONTEXT, target: 'joint' })
const embeddings = { mix: 'raw', views: { vectors: { graph: 1, score: 1 } } } as const

/**
 * The unjudged documents of one query with most evidence, as `kith audit` lists them with its
 * defaults; undefined where the relevant documents do not fit a context.
 */
export function suspectsOf(source: StudioContext, texts: boolean): Suspect[] | undefined {
  const { query, documents, retrieved, truth } = source
  if (truth.length === 0) return []
  if (truth.length > AUDIT_CONTEXT) return undefined
  const inContext = injectGroundTruth(truth, Array(retrieved).keys(), AUDIT_CONTEXT)
  const context = new QueryContext(source)
  const asked = context.query(texts)
  const candidates = context.of(inContext, texts)
  const known = [...truth.keys()]
  const grades = truth.map((document) => documents[document]!.grade!)
  const { evidence } = method.smoothLabels(asked, candidates, { candidates: known, grades })
  const listed = inContext
    .map((document, candidate) => ({ document, candidate }))
    // A negative grade is no judgement.
    .filter(({ document }) => !((documents[document]!.grade ?? -1) >= 0))
    .sort((a, b) => evidence[b.candidate]! - evidence[a.candidate]! || a.candidate - b.candidate)
    .slice(0, PER_QUERY)
  const similar = method.similarity(asked.vector, candidates.vectors, known, embeddings)
  return listed.map(({ document, candidate }) => ({
    query: query.id,
    queryText: query.text,
    document: documents[document]!.id,
    evidence: evidence[candidate]!,
    vouchers: truth
      .map((relevant, l) => ({
        document: documents[relevant]!.id,
        similarity: similar[l]!.geometric.toCandidates[candidate]!,
        jaccard: similar[l]!.jaccard.toCandidates[candidate]!,
      }))
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, VOUCHERS),
  }))
}

/** Most evidence first; ties by the ids, so that the list never depends on anything else. */
export function byEvidence(a: Suspect, b: Suspect): number {
  return b.evidence - a.evidence || compare(a.query, b.query) || compare(a.document, b.document)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
