import type { RerankResult } from '@kith/pipelines'
import { formatEvaluations } from './format-evaluations.ts'
import type { Output } from './output.ts'

/** Prints the result of a reranking: how many queries, how fast, and figures where there are judgements. */
export function tellReranked(output: Output, result: RerankResult): void {
  const { out, queries, seconds, figures, kept } = result
  if (kept) {
    const why = `the old ranking, unchanged. ${kept.reason} (--force reranks all the same)`
    output.result({ out, ...kept }, `${out}: ${why}`)
    return
  }
  const speed = `${queries} queries reranked in ${seconds.toFixed(1)} s (${Math.round(queries / seconds)}/s)`
  if (!figures) {
    output.result({ out, queries, seconds }, `${out}: ${speed}`)
    return
  }
  const { evaluations, comparisons, verdict } = figures
  const table = formatEvaluations('table', evaluations, comparisons, false).trimEnd()
  const json = JSON.parse(formatEvaluations('json', evaluations, comparisons, false))
  output.result(
    { out, queries, seconds, ...json, verdict },
    [`${out}: ${speed}`, '', table, '', verdict].join('\n'),
  )
}
