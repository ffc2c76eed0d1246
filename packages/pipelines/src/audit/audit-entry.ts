/** A document to judge: probably relevant, without a judgment. */
export interface AuditEntry {
  query: string
  document: string
  evidence: number
  /** Relevant documents that are similar to the document. */
  vouchers: AuditVoucher[]
}

/** A relevant document that is evidence for another. */
export interface AuditVoucher {
  document: string
  /** The similarity of the embeddings. */
  similarity: number
  /** The Jaccard similarity of the reciprocal neighborhoods. */
  jaccard: number
}

/** Most evidence first; ties by the ids, so that a list never depends on anything else. */
export function byEvidence(a: AuditEntry, b: AuditEntry): number {
  return b.evidence - a.evidence || compare(a.query, b.query) || compare(a.document, b.document)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
