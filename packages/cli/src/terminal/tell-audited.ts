import type { AuditAcceptResult, AuditEvaluation, AuditResult } from '@kith/pipelines/audit'
import { type Output, table } from './output.ts'

/** Prints how many documents an audit has listed, and the page to judge them on. */
export function tellAudited(output: Output, result: AuditResult): void {
  const { out, page, queries, documents, leftOut } = result
  output.result(
    result,
    [
      `${out}: ${documents} unjudged documents of ${queries} queries, most evidence first`,
      `${page}: open it in a browser to judge them`,
      ...Object.entries(leftOut).map(([why, count]) => `${count} queries left out: ${why}`),
    ].join('\n'),
  )
}

/** Prints how many of a judge's decisions were accepted and rejected. */
export function tellAccepted(output: Output, result: AuditAcceptResult): void {
  const { out, accepted, rejected } = result
  output.result(result, `${out}: ${accepted} documents accepted, ${rejected} rejected`)
}

/** Prints how many hidden documents were found, by each kind of evidence. */
export function tellAuditEvaluated(output: Output, result: AuditEvaluation): void {
  const { queries, repeats, texts, evidence } = result
  const measures = Object.keys(evidence[0]!.measures)
  const rows = evidence.map(({ target, measures: of }) => [
    target === 'query-centric' ? 'query similarity' : target,
    ...measures.map((name) => `${of[name]!.mean.toFixed(3)} ± ${of[name]!.deviation.toFixed(3)}`),
  ])
  output.result(
    result,
    [
      `Hidden relevant documents among the first unjudged ones: ${queries} queries, ${repeats} draws${texts ? ', with texts' : ''}`,
      '',
      table([['evidence', ...measures], ...rows]),
    ].join('\n'),
  )
}
