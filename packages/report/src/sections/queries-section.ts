import type { ReportData } from '../data/report-data.ts'
import { type Html, html } from '../html.ts'
import { FULL, figureHtml } from './figures-section.ts'

type Queries = NonNullable<ReportData['queries']>

/** The gain or loss of each query: the plot, and the table that the page's script fills. */
export function queriesSection({ rows, measure }: Queries): Html {
  if (rows.length === 0) return html``
  return html`<section id="queries">
<h2>Queries</h2>
${figureHtml({ kind: 'gains', measure, gains: rows.map((row) => row.after - row.before) }, FULL)}
<noscript><p class="note">The table of queries needs JavaScript.</p></noscript>
<div id="query-table"></div>
</section>
`
}
