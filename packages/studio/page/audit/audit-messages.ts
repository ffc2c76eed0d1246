import type { AuditEntry } from '@kith/pipelines/judging'

/** The page's request to the worker. */
export interface AuditWish {
  texts: boolean
  /** From which grade on a document is relevant. */
  level: number
}

/** The findings of an audit. */
export interface AuditFound {
  entries: AuditEntry[]
  /** The texts of their queries by id, where there are any. */
  queries: Record<string, string>
}

/** How far the audit is; the documents come at the end. */
export interface AuditReport {
  done: number
  total: number
  /** Queries with more relevant documents than a context has room for. */
  leftOut: number
  found?: AuditFound
}

/** The worker's answer. */
export type AuditAnswer = AuditReport | { error: string }
