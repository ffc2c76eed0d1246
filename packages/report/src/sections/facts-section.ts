import type { ReportData, ReportInput } from '../data/report-data.ts'
import { type Html, html } from '../html.ts'

/** The files that were compared. */
export function inputsSection(inputs: readonly ReportInput[]): Html {
  if (inputs.length === 0) return html``
  return html`<section id="compared">
<h2>What was compared</h2>
<table class="facts">
<tbody>${inputs.map(
    ({ what, file, size }) =>
      html`<tr><th scope="row">${what}</th><td><code>${file}</code></td><td>${size}</td></tr>\n`,
  )}</tbody>
</table>
</section>
`
}

/** Settings, versions and commands: how to get the same again. */
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
<h2>To make it again</h2>
${commands.map((command) => html`<pre><code>${command}</code></pre>\n`)}</section>
`
}

/** Values by name; those within an object have its name before theirs. */
function flat(pairs: Readonly<Record<string, unknown>>, before = ''): [string, unknown][] {
  return Object.entries(pairs).flatMap(([name, value]) => {
    if (value === undefined) return []
    const own = `${before}${name}`
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[own, value]]
    return flat(value as Record<string, unknown>, `${own}.`)
  })
}

/** Four digits of a fraction tell settings apart; 0.48219999999999996 is 0.4822. */
function inWords(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' && !Number.isInteger(value)) {
    return String(Number(value.toPrecision(4)))
  }
  return JSON.stringify(value) ?? String(value)
}
