import { ownSource, pagePolicy } from '@kith/base'
import type { LabelTexts, TextEntry } from '@kith/ir'
import { element } from '@kith/report/element'
import { type AuditEntry, type JudgedText, type JudgingData, startJudging } from './judging.ts'
import { judgingStyle, pageStyle } from './judging-style.ts'

/** Builds a self-contained HTML page on which a person judges documents. */
export function auditPage(
  entries: readonly AuditEntry[],
  texts: LabelTexts | undefined,
  { title, grade }: Pick<JudgingData, 'title' | 'grade'>,
): string {
  const queries = new Map<string, string>()
  const documents = new Map<string, JudgedText>()
  for (const { query, document, relevantNeighbors } of entries) {
    keep(queries, query, texts?.query(query)?.text)
    for (const id of [document, ...relevantNeighbors.map((neighbor) => neighbor.document)]) {
      keep(documents, id, withoutId(texts?.document(id)))
    }
  }
  const data: JudgingData = {
    title,
    grade,
    entries,
    queries: Object.fromEntries(queries),
    documents: Object.fromEntries(documents),
  }
  // An unescaped `<` would let a text close the element that holds it.
  const json = JSON.stringify(data).replaceAll('<', '\\u003c')
  const style = pageStyle + judgingStyle
  const script = `(${startJudging.toString()})(document.getElementById('page'), JSON.parse(document.getElementById('data').textContent), {}, ${element.toString()})`
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${pagePolicy({ 'style-src': ownSource(style), 'script-src': ownSource(script) })}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Kith audit</title>
<style>${style}</style>
<main id="page"></main>
<script type="application/json" id="data">${json}</script>
<script type="module">${script}</script>
</html>
`
}

function keep<T>(map: Map<string, T>, id: string, value: T | undefined): void {
  if (value !== undefined) map.set(id, value)
}

function withoutId(entry: TextEntry | undefined): JudgedText | undefined {
  if (!entry) return undefined
  return entry.title === undefined ? { text: entry.text } : { title: entry.title, text: entry.text }
}
