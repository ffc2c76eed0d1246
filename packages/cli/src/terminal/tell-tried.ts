import { formatFigure, markOf, statedP } from '@kith/ir/internal'
import type { QueryChange, TryResult } from '@kith/pipelines/try'
import { type Output, table } from './output.ts'

/** Prints the result of `kith try`: the table, the verdict, and the queries that changed most. */
export function tellTried(output: Output, result: TryResult): void {
  const { dataset, split, judged, systems, adapter, verdict, changes, report } = result
  const json = {
    ...{ dataset, split, judged, adapter, verdict, changes, report },
    systems: systems.map(({ evaluation, ...system }) => ({
      ...system,
      measures: evaluation?.mean,
    })),
  }
  const lines = verdict
    ? [
        figures(result),
        '',
        ...adapted(adapter),
        `${verdict.sentence}.`,
        ...changed('gained', changes.gained),
        ...changed('lost', changes.lost),
        '',
        `Report: ${report}`,
      ]
    : sideBySide(result)
  output.result(json, lines.join('\n'))
}

/** Formats the systems, their measures with significance, and their latency. */
function figures({ systems, judged }: TryResult): string {
  const { measures } = systems[0]!.evaluation!
  const rows = systems.map(({ name, evaluation, comparison, milliseconds }) => [
    name,
    ...measures.map((measure) => {
      const mark = comparison ? markOf(comparison[measure]!.p) : ''
      return `${formatFigure(evaluation!.mean[measure]!)}${mark.padEnd(2)}`
    }),
    milliseconds === undefined ? '–' : milliseconds.toFixed(2),
  ])
  const head = [`${judged} judged queries`, ...measures.map((name) => `${name}  `), 'ms/query']
  const note =
    '* p < 0.05, ** p < 0.01 against vector search (randomization test, Holm-corrected)\n' +
    `ms/query: this step alone, in a batch on ${coresOf(systems)}; fusion and reranking come on top of search`
  return `${table([head, ...rows])}\n${note}`
}

/**
 * Describes the cores that the times were measured on; steps of an earlier call may have used other
 * --workers.
 */
function coresOf(systems: TryResult['systems']): string {
  const measured = systems.filter(({ milliseconds }) => milliseconds !== undefined)
  const all = [...new Set(measured.map(({ workers }) => workers))]
  const cores = (workers: number | undefined): string =>
    workers === undefined ? 'all cores' : `${workers} ${workers === 1 ? 'core' : 'cores'}`
  if (all.length <= 1) return cores(all[0])
  return measured.map(({ name, workers }) => `${cores(workers)} (${name})`).join(', ')
}

/** Formats the training data of a query adapter, and its gain on held-out training queries. */
function adapted(adapter: TryResult['adapter']): string[] {
  if (!adapter) return []
  const { folder, queries, keepsOld, heldOut } = adapter
  const { measure, by } = heldOut
  const { before, after, randomization } = heldOut.measures[measure]!
  const of = by === 'teacher' ? `agreement with Kith’s ranking (${measure})` : measure
  const gain = `${of} of vector search ${formatFigure(before)} → ${formatFigure(after)} (${statedP(randomization)}) on ${heldOut.queries} of them, held out`
  const use = keepsOld ? 'no gain, so it has no row' : folder
  return [`Query adapter: learned from ${queries} training queries; ${gain}: ${use}.`]
}

function changed(how: string, queries: readonly QueryChange[]): string[] {
  if (queries.length === 0) return []
  const rows = queries.map(({ query, text, before, after }) => {
    return `  ${formatFigure(before ?? 0)} → ${formatFigure(after ?? 0)}  ${query}  ${text}`
  })
  return ['', `Queries that ${how} most:`, ...rows]
}

/**
 * Formats the top five documents of some queries before and after reranking, for datasets without
 * judgments.
 */
function sideBySide({ dataset, changes }: TryResult): string[] {
  const { queries, newFirst, newInTop, gained } = changes
  const row = (old: string, now: string): string => `  ${old.padEnd(68)}${now}`.trimEnd()
  const parts = gained.flatMap(({ query, text, top }) => [
    '',
    `${query}  ${text}`,
    row('vector search', 'Kith (+ new)'),
    ...top.before.map((old, i) => {
      const now = top.after[i] ?? ''
      return row(old, `${top.before.includes(now) ? ' ' : '+'} ${now}`)
    }),
  ])
  return [
    `No judgments in ${dataset}: Kith changes the first document of ${newFirst} of ${queries} queries;`,
    `${newInTop.toFixed(1)} of the first five documents are new on average.`,
    ...parts,
    '',
    'Add judgments (qrels/test.tsv) to let kith try measure whether the new order is better.',
  ]
}
