/** An unjudged document that may be relevant, and the relevant ones that speak for it. */
export interface Suspect {
  query: string
  queryText: string | undefined
  document: string
  evidence: number
  vouchers: Voucher[]
}

/** A relevant document that is similar to a suspect. */
export interface Voucher {
  document: string
  /** Of the embeddings. */
  similarity: number
  /** Of the reciprocal neighbourhoods. */
  jaccard: number
}

/** What the page asks the worker for. */
export interface AuditWish {
  texts: boolean
}

/** How far the audit is; the suspects come at the end. */
export interface AuditReport {
  done: number
  total: number
  /** Queries with more relevant documents than a context has room for. */
  leftOut: number
  suspects?: Suspect[]
}

/** What the worker answers. */
export type AuditAnswer = AuditReport | { error: string }
