import { formatFigure, formatP, markOf } from '@kith/ir/internal'
import type { EvaluateResult, NamedEvaluation } from '@kith/pipelines/eval'
import { table } from './output.ts'

/** The formats in which evaluations can be printed. */
export const evaluationFormats = ['table', 'markdown', 'json', 'csv', 'trec'] as const

type Format = (typeof evaluationFormats)[number]
type Comparisons = EvaluateResult['comparisons']

/** The evaluations to print, and the failures of a quality gate, if there is one. */
interface Printed extends Omit<EvaluateResult, 'warnings'> {
  warnings?: readonly string[] | undefined
}

/**
 * Formats evaluations as text that ends with a line break. JSON also contains the warnings and
 * failures.
 */
export function formatEvaluations(format: Format, printed: Printed, perQuery: boolean): string {
  return formats[format](printed, perQuery)
}

const formats: Record<Format, typeof asJson> = {
  table: asTable,
  markdown: asMarkdown,
  json: asJson,
  csv: asCsv,
  trec: asTrec,
}

function asTable({ evaluations, comparisons }: Printed, perQuery: boolean): string {
  const measures = evaluations[0]!.evaluation.measures
  const rows = [['run', ...measures, 'queries']]
  for (const { name, evaluation } of evaluations) {
    const cells = measures.map((measure) => {
      const comparison = comparisons.get(name)?.[measure]
      return `${formatFigure(evaluation.mean[measure]!)}${comparison ? markOf(comparison.p).padEnd(2) : '  '}`
    })
    rows.push([name, ...cells, String(evaluation.queries.length)])
  }
  const parts = [table(rows)]
  if (comparisons.size > 0) {
    const compared = table(differenceRows(evaluations, comparisons))
    parts.push(`${compared}\n${starsNote(comparisons.size)}`)
  }
  if (perQuery) for (const run of evaluations) parts.push(queryTable(run))
  return `${parts.join('\n\n')}\n`
}

/**
 * Formats a summary for a pull request: each run's measures, and its differences from the baseline.
 */
function asMarkdown({ evaluations, comparisons, failures }: Printed): string {
  const measures = evaluations[0]!.evaluation.measures
  const figures = evaluations.map(({ name, evaluation }) => [
    name,
    ...measures.map((measure) => formatFigure(evaluation.mean[measure]!)),
    String(evaluation.queries.length),
  ])
  const parts = [markdownTable([['run', ...measures, 'queries'], ...figures])]
  if (comparisons.size > 0) {
    const compared = markdownTable(differenceRows(evaluations, comparisons))
    parts.push(compared, asCell(starsNote(comparisons.size)))
  }
  if (failures) {
    const verdict = failures.length > 0 ? `**Fails:** ${failures.join('; ')}.` : '**Passes.**'
    parts.unshift(verdict)
  }
  return `${parts.join('\n\n')}\n`
}

function markdownTable(rows: readonly (readonly string[])[]): string {
  const [head, ...others] = rows.map((cells) => `| ${cells.map(asCell).join(' | ')} |`)
  return [head, `|${' --- |'.repeat(rows[0]!.length)}`, ...others].join('\n')
}

function asCell(text: string): string {
  return text.trim().replace(/[|*]/g, '\\$&')
}

function differenceRows(runs: readonly NamedEvaluation[], comparisons: Comparisons): string[][] {
  const rows = [
    [
      `against ${runs[0]!.name}`,
      'measure',
      'difference',
      'better/equal/worse',
      'p (t-test)',
      'p (randomization)',
    ],
  ]
  for (const [name, byMeasure] of comparisons) {
    for (const [measure, c] of Object.entries(byMeasure)) {
      const sign = c.difference >= 0 ? '+' : '−'
      rows.push([
        name,
        measure,
        `${sign}${formatFigure(Math.abs(c.difference))}`,
        `${c.wins}/${c.ties}/${c.losses}`,
        formatP(c.tTest),
        `${formatP(c.p)}${markOf(c.p).padEnd(2)}`,
      ])
    }
  }
  return rows
}

/** Explains the stars, and says which p-value is corrected. */
function starsNote(runs: number): string {
  const stars = '* p < 0.05, ** p < 0.01 in the randomization test'
  if (runs === 1) return stars
  return `${stars}, Holm-corrected for ${runs} runs; p of the t-test is not corrected`
}

function queryTable({ name, evaluation }: NamedEvaluation): string {
  const rows = [[name, ...evaluation.measures]]
  evaluation.queries.forEach((query, i) => {
    const figures = evaluation.measures.map((m) => formatFigure(evaluation.perQuery[m]![i]!))
    rows.push([query, ...figures])
  })
  return table(rows)
}

function asJson(
  { evaluations, comparisons, warnings, failures }: Printed,
  perQuery: boolean,
): string {
  const value = {
    runs: evaluations.map(({ name, file, evaluation }) => ({
      name,
      file,
      queries: evaluation.queries.length,
      measures: evaluation.mean,
      ...(comparisons.has(name) ? { comparison: comparisons.get(name) } : {}),
      ...(perQuery ? { perQuery: queryObjects(evaluation) } : {}),
    })),
    warnings,
    failures,
  }
  return `${JSON.stringify(value)}\n`
}

function queryObjects({ queries, measures, perQuery }: NamedEvaluation['evaluation']) {
  return Object.fromEntries(
    queries.map((query, i) => [
      query,
      Object.fromEntries(measures.map((m) => [m, perQuery[m]![i]!])),
    ]),
  )
}

function asCsv({ evaluations }: Printed, perQuery: boolean): string {
  const lines = ['run,query,measure,value']
  eachFigure(evaluations, perQuery, (name, query, measure, value) => {
    lines.push([name, query, measure, formatFigure(value, 6)].map(quoted).join(','))
  })
  return `${lines.join('\n')}\n`
}

/** Formats evaluations as trec_eval does: measure, query and value, one run after the other. */
function asTrec({ evaluations }: Printed, perQuery: boolean): string {
  const lines: string[] = []
  eachFigure(evaluations, perQuery, (_name, query, measure, value) => {
    lines.push(`${measure.padEnd(22)}\t${query}\t${formatFigure(value)}`)
  })
  return `${lines.join('\n')}\n`
}

/**
 * Passes each query's values to `take` if `perQuery` is set, then the means under the query `all`.
 */
function eachFigure(
  runs: readonly NamedEvaluation[],
  perQuery: boolean,
  take: (name: string, query: string, measure: string, value: number) => void,
): void {
  for (const { name, evaluation } of runs) {
    if (perQuery) {
      evaluation.queries.forEach((query, i) => {
        for (const m of evaluation.measures) take(name, query, m, evaluation.perQuery[m]![i]!)
      })
    }
    for (const m of evaluation.measures) take(name, 'all', m, evaluation.mean[m]!)
  }
}

function quoted(cell: string): string {
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
