import { formatFigure, formatP, markOf } from '@kith/ir/internal'
import type { ReportComparison, ReportRun } from '../data/report-data.ts'
import { count, type Html, html, pInWords, signedFigure } from '../html.ts'

/**
 * If more runs than this are compared with the first, one table lists all of them, and the verdict
 * is on the last one.
 */
const FEW = 2

/** Renders the verdict on each run but the first, in large letters. */
export function verdictSection(runs: readonly ReportRun[], measure: string | undefined): Html {
  const [first, ...others] = runs
  const main = measure ?? Object.keys(first?.measures ?? {})[0]
  if (!first || main === undefined) return html``
  return html`${(others.length > FEW ? others.slice(-1) : others).map((run) => {
    const verdict = verdictOf(first, run, main)
    if (!verdict) return html``
    return html`<section class="verdict ${verdict.kind}">
<p class="headline">${verdict.headline}</p>
<p>${verdict.detail}</p>
</section>
`
  })}`
}

/** Renders the measures of each run but the first beside the first run's, with the tests. */
export function measuresSection(runs: readonly ReportRun[]): Html {
  const [first, ...others] = runs
  if (!first) return html``
  const compared = others.some(({ comparison }) => comparison)
  return html`<section id="measures">
<h2>Measures</h2>
${others.length > FEW ? overviewTable(runs) : html``}
${others.length === 0 ? soleTable(first) : pairTables(first, others)}
${compared ? testNote(others.length) : html``}
</section>
`
}

function soleTable(run: ReportRun): Html {
  return html`<div class="scroll"><table class="measures">
<caption>${run.name}, ${count(run.queries)} queries</caption>
<thead><tr><th scope="col">measure</th><th scope="col">mean</th></tr></thead>
<tbody>${Object.entries(run.measures).map(
    ([name, value]) => html`<tr><th scope="row">${name}</th><td>${formatFigure(value)}</td></tr>\n`,
  )}</tbody>
</table></div>`
}

/** Renders a table of all runs and measures. */
function overviewTable(runs: readonly ReportRun[]): Html {
  const names = Object.keys(runs[0]!.measures)
  return html`<div class="scroll"><table class="measures">
<thead><tr><th scope="col">run</th>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${runs.map(
    ({ name, measures, comparison }) =>
      html`<tr><th scope="row">${name}</th>${names.map((measure) => overviewCell(measures[measure], comparison?.[measure]))}</tr>\n`,
  )}</tbody>
</table></div>
`
}

function overviewCell(value: number | undefined, comparison: ReportComparison | undefined): Html {
  const mark = comparison ? markOf(comparison.p) : ''
  const kind = mark === '' ? '' : comparison!.difference > 0 ? 'gain' : 'loss'
  const figure = value === undefined ? '–' : formatFigure(value)
  return html`<td class="${kind}">${figure}<span class="mark">${mark}</span></td>`
}

/** Renders a table per pair of runs; the tables are collapsed if there are many. */
function pairTables(first: ReportRun, others: readonly ReportRun[]): Html {
  const tables = html`${others.map((run) => pairTable(first, run))}`
  if (others.length <= FEW) return tables
  return html`<details><summary>Each run against ${first.name}, with the tests</summary>${tables}</details>`
}

function pairTable(first: ReportRun, run: ReportRun): Html {
  return html`<div class="scroll"><table class="measures">
<caption>${run.name} against ${first.name}, ${count(run.queries)} queries</caption>
<thead><tr>
<th scope="col">measure</th><th scope="col">before</th><th scope="col">after</th>
<th scope="col">difference</th><th scope="col" colspan="2" class="shares">better / equal / worse</th>
<th scope="col" class="minor">t-test</th><th scope="col">p</th>
</tr></thead>
<tbody>${Object.keys(first.measures).map((measure) => pairRow(first, run, measure))}</tbody>
</table></div>
`
}

function pairRow(first: ReportRun, run: ReportRun, measure: string): Html {
  const comparison = run.comparison?.[measure]
  const figure = (value: number | undefined) => (value === undefined ? '–' : formatFigure(value))
  const start = html`<tr><th scope="row">${measure}</th>
<td>${figure(first.measures[measure])}</td><td>${figure(run.measures[measure])}</td>`
  if (!comparison) return html`${start}<td colspan="5">not compared</td></tr>\n`
  const { difference, tTest, p } = comparison
  const kind = difference > 0 ? 'gain' : difference < 0 ? 'loss' : ''
  return html`${start}
<td class="${kind}">${signedFigure(difference)}<span class="mark">${markOf(p)}</span></td>
${sharesCells(comparison)}
<td class="minor">${formatP(tTest)}</td><td>${formatP(p)}</td></tr>
`
}

/**
 * Renders the shares of queries that are better, equal and worse: a bar, and the numbers in a
 * separate cell, so that bars are aligned.
 */
function sharesCells({ wins, ties, losses }: ReportComparison): Html {
  const all = Math.max(1, wins + ties + losses)
  const percent = (part: number) => `${Number(((100 * part) / all).toFixed(2))}%`
  return html`<td class="shares share-bar"><svg class="bar" height="8" aria-hidden="true"><rect width="100%" height="8" fill="var(--line)"/><rect width="${percent(wins)}" height="8" fill="var(--gain)"/><rect x="${percent(wins + ties)}" width="${percent(losses)}" height="8" fill="var(--loss)"/></svg></td><td class="shares">${count(wins)} / ${count(ties)} / ${count(losses)}</td>`
}

function testNote(runs: number): Html {
  const holm = runs > 1 ? html`, corrected by Holm’s method for ${runs} compared runs` : html``
  return html`<p class="note">** marks p &lt; 0.01 and * p &lt; 0.05 in Fisher’s randomization test, two-sided${holm}. p is the probability of a mean difference at least this large if the two values of each query were swapped at random. The p values are not corrected for the number of measures.</p>`
}

/** The verdict of a comparison, in plain words. */
export interface ReportVerdict {
  kind: 'better' | 'unsure' | 'equal' | 'worse'
  headline: string
  detail: string
}

/** Returns whether a run is better than the first, and how certain that is. */
export function verdictOf(
  first: ReportRun,
  run: ReportRun,
  measure: string,
): ReportVerdict | undefined {
  const comparison = run.comparison?.[measure]
  if (!comparison) return undefined
  const { difference, wins, ties, losses, p } = comparison
  const queries = `${count(wins)} queries are better, ${count(losses)} worse, ${count(ties)} equal`
  const names = `${run.name} against ${first.name}`
  if (difference === 0) {
    return {
      kind: 'equal',
      headline: 'No difference',
      detail: `${names}: ${measure} is ${formatFigure(first.measures[measure]!)} in both; ${queries}.${others(run, measure)}`,
    }
  }
  const [kind, headline] = kindOf(difference, p)
  const moved = `${measure} ${difference > 0 ? 'rises' : 'falls'} from ${formatFigure(first.measures[measure]!)} to ${formatFigure(run.measures[measure]!)}`
  return {
    kind,
    headline,
    detail: `${names}: ${moved} (${signedFigure(difference)}; ${pInWords(p)}). ${queries}.${others(run, measure)}`,
  }
}

/**
 * Describes the other measures with a significant difference: they may contradict the main measure.
 */
function others(run: ReportRun, main: string): string {
  const found = Object.entries(run.comparison ?? {}).filter(
    ([measure, { p }]) => measure !== main && p < 0.05,
  )
  const names = (sign: number) =>
    found.filter(([, { difference }]) => Math.sign(difference) === sign).map(([name]) => name)
  const [better, worse] = [names(1), names(-1)]
  return [
    better.length > 0 ? ` Significantly better in ${better.join(', ')}.` : '',
    worse.length > 0 ? ` Significantly worse in ${worse.join(', ')}.` : '',
  ].join('')
}

function kindOf(difference: number, p: number): [ReportVerdict['kind'], string] {
  if (p < 0.05) {
    return difference > 0 ? ['better', 'Significantly better'] : ['worse', 'Significantly WORSE']
  }
  return difference > 0
    ? ['unsure', 'Better, but not significantly']
    : ['worse', 'Worse, but not significantly']
}
