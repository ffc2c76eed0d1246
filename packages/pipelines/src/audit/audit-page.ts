import type { LabelTexts, TextEntry } from '@kith/ir'
import { judgingPage } from './audit-page-script.ts'
import { auditPageStyle } from './audit-page-style.ts'

/** A document to judge. */
export interface AuditEntry {
  query: string
  document: string
  evidence: number
  vouchers: { document: string; similarity: number; jaccard: number }[]
}

/** What the page is given. */
export interface AuditPageData {
  title: string
  /** The grade that accepting gives. */
  grade: number
  entries: AuditEntry[]
  queries: Record<string, string>
  documents: Record<string, { title?: string; text: string }>
}

/** A page without any outside part on which a person judges documents. */
export function auditPage(
  entries: AuditEntry[],
  texts: LabelTexts | undefined,
  { title, grade }: Pick<AuditPageData, 'title' | 'grade'>,
): string {
  const queries = new Map<string, string>()
  const documents = new Map<string, { title?: string; text: string }>()
  for (const { query, document, vouchers } of entries) {
    keep(queries, query, texts?.query(query)?.text)
    for (const id of [document, ...vouchers.map((voucher) => voucher.document)]) {
      keep(documents, id, withoutId(texts?.document(id)))
    }
  }
  const data: AuditPageData = {
    title,
    grade,
    entries,
    queries: Object.fromEntries(queries),
    documents: Object.fromEntries(documents),
  }
  // `<` would let a text end the element that holds it.
  const json = JSON.stringify(data).replaceAll('<', '\\u003c')
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Kith audit</title>
<style>${auditPageStyle}</style>
<main id="page"></main>
<script type="application/json" id="data">${json}</script>
<script type="module">(${judgingPage.toString()})()</script>
</html>
`
}

function keep<T>(map: Map<string, T>, id: string, value: T | undefined): void {
  if (value !== undefined) map.set(id, value)
}

function withoutId(entry: TextEntry | undefined): { title?: string; text: string } | undefined {
  if (!entry) return undefined
  return entry.title === undefined ? { text: entry.text } : { title: entry.title, text: entry.text }
}
