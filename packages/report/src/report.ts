import { ownSource, pagePolicy } from '@kith/base'
import type { ReportData } from './data/report-data.ts'
import { element } from './element.ts'
import { embeddedJson, Html, html } from './html.ts'
import { reportStyle } from './report-style.ts'
import { measuresSection, verdictSection } from './sections/measures-section.ts'
import { queryTable } from './sections/query-table-script.ts'
import {
  factsSections,
  figuresSection,
  inputsSection,
  queriesSection,
  tablesSection,
} from './sections/sections.ts'

/**
 * Renders a report as one self-contained HTML file: no network, light and dark, printable. The same
 * data gives the same bytes.
 *
 * ```ts
 * writeFileSync('report.html', renderReport({ title: 'Two runs', settings: { k: 12 } }))
 * ```
 */
export function renderReport(data: ReportData): string {
  const {
    title = 'Retrieval report',
    collection,
    about,
    inputs,
    runs,
    queries,
    figures,
    generatedAt,
  } = data
  const script = queries ? `(${queryTable.toString()})(${element.toString()})` : ''
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${new Html(reportStyle)}</style>
</head>
<body>
<main>
<header>
${collection ? html`<p class="collection">${collection}</p>` : html``}
<h1>${title}</h1>
${about ? html`<p>${about}</p>` : html``}
${generatedAt ? html`<p class="note">${generatedAt}</p>` : html``}
</header>
${verdictSection(runs ?? [], data.measure)}${inputsSection(inputs ?? [])}${measuresSection(runs ?? [])}${queries ? queriesSection(queries) : html``}${tablesSection(data.tables ?? [])}${figuresSection(figures ?? [])}${factsSections(data)}</main>
${queries ? html`<script type="application/json" id="query-data">${embeddedJson(queries)}</script>\n<script>${new Html(script)}</script>` : html``}
</body>
</html>
`.source
}

function policy(script: string): string {
  return pagePolicy({
    'style-src': ownSource(reportStyle),
    'script-src': script === '' ? "'none'" : ownSource(script),
  })
}
