import { FileError } from '@kith/base'
import { KithError } from '@kith/core'
import type { ReportData, ReportInput, ReportTable } from '../data/report-data.ts'
import { list, object, optional, text } from '../data/shape.ts'
import { Html, html } from '../html.ts'
import { describeFigure, drawFigure, type Figure } from '../plots/figure.ts'

/** Renders the list of the files that were compared. */
export function inputsSection(inputs: readonly ReportInput[]): Html {
  if (inputs.length === 0) return html``
  return html`<section id="compared">
<h2>Inputs</h2>
<table class="facts">
<tbody>${inputs.map(
    ({ what, file, size }) =>
      html`<tr><th scope="row">${what}</th><td><code>${file}</code></td><td>${size}</td></tr>\n`,
  )}</tbody>
</table>
</section>
`
}

/** Renders settings, versions and commands, which reproduce the results. */
export function factsSections({ settings, versions, commands }: ReportData): Html {
  return html`${pairsSection('settings', 'Settings', settings)}${pairsSection('versions', 'Versions', versions)}${commandsSection(commands ?? [])}`
}

function pairsSection(
  id: string,
  heading: string,
  pairs: Readonly<Record<string, unknown>> | undefined,
): Html {
  const entries = flat(pairs ?? {})
  if (entries.length === 0) return html``
  return html`<section id="${id}">
<h2>${heading}</h2>
<dl>${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${inWords(value)}</dd></div>\n`)}</dl>
</section>
`
}

function commandsSection(commands: readonly string[]): Html {
  if (commands.length === 0) return html``
  return html`<section id="reproduce">
<h2>Reproduce this page</h2>
${commands.map((command) => html`<pre><code>${command}</code></pre>\n`)}</section>
`
}

/** Flattens nested values; the name of a nested value starts with the name of its object. */
function flat(pairs: Readonly<Record<string, unknown>>, before = ''): [string, unknown][] {
  return Object.entries(pairs).flatMap(([name, value]) => {
    if (value === undefined) return []
    const own = `${before}${name}`
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[own, value]]
    return flat(value as Record<string, unknown>, `${own}.`)
  })
}

/**
 * Formats a value. Numbers get four decimals, which is enough to tell settings apart:
 * 0.48219999999999996 becomes 0.4822.
 */
function inWords(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' && !Number.isInteger(value)) {
    return String(Number(value.toPrecision(4)))
  }
  return JSON.stringify(value) ?? String(value)
}

/** The widths of plots, by the CSS classes `small`, `middle` and `large` that show them. */
type Widths = Readonly<Record<string, number>>

/** Two plots per row on a large page, one per row on smaller pages. */
const COLUMN: Widths = { small: 358, 'middle large': 532 }

/** Plots of the page's full width. */
const FULL: Widths = { small: 358, middle: 690, large: 1100 }

/** Renders the figures, two per row if there is room; a single figure gets the full width. */
export function figuresSection(figures: readonly Figure[]): Html {
  if (figures.length === 0) return html``
  if (figures.length === 1) {
    return html`<section id="figures">\n${figureHtml(figures[0]!, FULL, 'h2')}</section>\n`
  }
  return html`<section id="figures">
<h2>Figures</h2>
<div class="figures">
${figures.map((figure) => figureHtml(figure, COLUMN))}</div>
</section>
`
}

/** Renders a figure with its caption, once per page size, so that text keeps its size. */
function figureHtml(figure: Figure, widths: Widths, heading: 'h2' | 'h3' = 'h3'): Html {
  const { title, description } = describeFigure(figure)
  return html`<figure>
${new Html(`<${heading}>`)}${title}${new Html(`</${heading}>`)}
${Object.entries(widths).map(
  ([pages, width]) =>
    html`<div class="${pages}">${new Html(drawFigure(figure, { width }))}</div>\n`,
)}<figcaption>${description}</figcaption>
</figure>
`
}

type Queries = NonNullable<ReportData['queries']>

/** Renders the gain or loss of each query: the plot, and the table that the page's script fills. */
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

const tablesShape = list(object({ title: text, note: optional(text), rows: list(list(text)) }))

/** Renders further findings, each with a heading. */
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

/** Parses and checks the tables in a file: a JSON list of `{ title, note?, rows }`. */
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
