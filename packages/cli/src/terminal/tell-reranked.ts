import type { Submitted } from '@kith/pipelines/batches'
import type { RerankResult } from '@kith/pipelines/rerank'
import { formatEvaluations } from './format-evaluations.ts'
import type { Output } from './output.ts'

/** Prints the result of a reranking: how many queries, how fast, and figures if there are judgments. */
export function tellReranked(output: Output, result: RerankResult): void {
  const { out, queries, seconds, figures, kept, crossEncoded, folded } = result
  if (kept) {
    const but = crossEncoded ? 'reordered by the cross-encoder only' : 'unchanged'
    const why = `the original ranking, ${but}. ${kept.reason} (add --force to rerank anyway)`
    output.result({ out, ...kept, crossEncoded }, `${out}: ${why}`)
    return
  }
  const read = crossEncoded ? `, ${crossEncoded.texts} texts read by the cross-encoder` : ''
  const rate = `${Math.round(queries / seconds)}/s`
  const speed = `${queries} queries reranked${read} in ${seconds.toFixed(1)} s (${rate})`
  const left =
    folded === undefined ? [] : [`${folded} documents folded into a higher-ranked document`]
  if (!figures) {
    output.result(
      { out, queries, seconds, crossEncoded, folded },
      [`${out}: ${speed}`, ...left].join('\n'),
    )
    return
  }
  const { verdict } = figures
  const table = formatEvaluations('table', figures, false).trimEnd()
  const json = JSON.parse(formatEvaluations('json', figures, false))
  output.result(
    { out, queries, seconds, crossEncoded, folded, ...json, verdict },
    [`${out}: ${speed}`, '', table, '', verdict, ...left].join('\n'),
  )
}

/** Prints the size of a submitted batch, and the command that does its jobs. */
export function tellSubmitted(output: Output, { name, queries, jobs, fresh }: Submitted): void {
  output.result(
    { batch: name, queries, jobs, fresh },
    fresh
      ? `${name}: submitted ${queries} queries in ${jobs} jobs; run them with kith work`
      : `${name}: already submitted, ${queries} queries`,
  )
}
