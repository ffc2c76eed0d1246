import { FileError } from '@kith/base'
import { KithError } from '@kith/core'
import type { ReportTable } from '../data/report-data.ts'
import { list, object, optional, text } from '../data/shape.ts'
import { type Html, html } from '../html.ts'

const tablesShape = list(object({ title: text, note: optional(text), rows: list(list(text)) }))

/** Further findings, each with a heading of its own. */
export function tablesSection(tables: readonly ReportTable[]): Html {
  return html`${tables.map(({ title, note, rows }) => {
    const [head, ...body] = rows
    return html`<section>
<h2>${title}</h2>
${note ? html`<p class="note">${note}</p>` : html``}
<div class="scroll"><table class="measures">
<thead><tr>${head!.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${body.map(
      ([first, ...rest]) =>
        html`<tr><th scope="row">${first}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>\n`,
    )}</tbody>
</table></div>
</section>
`
  })}`
}

/** Parses and checks tables of a file: a JSON list of `{ title, note?, rows }`. */
export function parseTables(content: string, file: string): ReportTable[] {
  try {
    const tables: unknown = JSON.parse(content)
    tablesShape(tables, 'the list of tables')
    return tables as ReportTable[]
  } catch (error) {
    const problem = (error as Error).message
    throw new FileError(file, '', error instanceof KithError ? problem : `not JSON: ${problem}`)
  }
}
