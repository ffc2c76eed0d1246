import { evaluate, type Run, readQrels, readRun } from '@kith/ir'
import {
  type CorrectedComparison,
  compareToFirst,
  type NamedEvaluation,
} from '@kith/pipelines/internal'
import type { Values } from '../options/command.ts'
import { readEvaluationOptions } from '../options/shared-options.ts'
import { optionalText, text } from '../options/values.ts'
import { formatEvaluations } from '../terminal/format-evaluations.ts'
import type { Output } from '../terminal/output.ts'

/** Figures before and after reranking, with a verdict in words; nothing without --qrels. */
export async function judge(
  values: Values,
  run: Run,
  out: string,
): Promise<{ text: string; json: object } | undefined> {
  const qrelsFile = optionalText(values, 'qrels')
  if (!qrelsFile) return undefined
  const { measures, ...options } = readEvaluationOptions(values)
  const qrels = await readQrels(qrelsFile)
  const evaluations: NamedEvaluation[] = [
    {
      name: 'before',
      file: text(values, 'run'),
      evaluation: evaluate(qrels, run, measures, options),
    },
    {
      name: 'after',
      file: out,
      evaluation: evaluate(qrels, await readRun(out), measures, options),
    },
  ]
  const comparisons = compareToFirst(evaluations)
  const verdict = verdictOf(comparisons.get('after')![measures[0]!]!)
  const table = formatEvaluations('table', evaluations, comparisons, false).trimEnd()
  const json = JSON.parse(formatEvaluations('json', evaluations, comparisons, false))
  return { text: `${table}\n\n${verdict}`, json: { ...json, verdict } }
}

/** Says how reranking went: how many queries, how fast, and figures where there are judgements. */
export function tellReranked(
  output: Output,
  { out, queries, seconds }: { out: string; queries: number; seconds: number },
  figures: Awaited<ReturnType<typeof judge>>,
): void {
  output.result(
    { out, queries, seconds, ...figures?.json },
    [
      `${out}: ${queries} queries reranked in ${seconds.toFixed(1)} s (${Math.round(queries / seconds)}/s)`,
      ...(figures ? ['', figures.text] : []),
    ].join('\n'),
  )
}

function verdictOf({ measure, difference, p }: CorrectedComparison): string {
  const size = `${difference >= 0 ? '+' : '−'}${Math.abs(difference).toFixed(4)} ${measure}`
  const chance =
    p < 0.05 ? `significant, p = ${p.toFixed(4)}` : `not significant, p = ${p.toFixed(2)}`
  if (difference === 0) return `Reranking left ${measure} as it was.`
  if (difference < 0) {
    const what = p < 0.05 ? 'made it WORSE' : 'may have made it worse'
    return `Reranking ${what}: ${size} (${chance}). Keep the old run, or look for other settings.`
  }
  return p < 0.05
    ? `Reranking helped: ${size} (${chance}).`
    : `Reranking may have helped: ${size} (${chance}).`
}
