import { type EvaluationOptions, evaluate, evaluateRun, type Run, readQrels } from '@kith/ir'
import {
  type CorrectedComparison,
  compareToFirst,
  type NamedEvaluation,
} from '../evaluate/evaluations.ts'

/** The measures that are taken where none are named. */
export const usualMeasures: readonly string[] = ['nDCG@10', 'MRR@10', 'MAP@10', 'Recall@10']

/** How runs are measured. */
export interface Measuring extends EvaluationOptions {
  /** By their names in ir_measures; default `usualMeasures`. */
  measures?: readonly string[] | undefined
}

/** Figures before and after reranking. */
export interface RerankFigures {
  /** The run as it was, and as it is now. */
  evaluations: [before: NamedEvaluation, after: NamedEvaluation]
  /** Comparisons by the name of the run and the measure. */
  comparisons: ReadonlyMap<string, Readonly<Record<string, CorrectedComparison>>>
  /** The verdict by the first measure, in a sentence. */
  verdict: string
}

/** Measures a run before and after reranking; it is read again unless it is in memory. */
export async function measureReranking(
  qrelsFile: string,
  before: { file: string; run: Run | undefined },
  out: string,
  { measures = usualMeasures, ...options }: Measuring,
): Promise<RerankFigures> {
  const qrels = await readQrels(qrelsFile)
  const evaluations: RerankFigures['evaluations'] = [
    {
      name: 'before',
      file: before.file,
      evaluation: before.run
        ? evaluate(qrels, before.run, measures, options)
        : await evaluateRun(qrels, before.file, measures, options),
    },
    { name: 'after', file: out, evaluation: await evaluateRun(qrels, out, measures, options) },
  ]
  const comparisons = compareToFirst(evaluations)
  const verdict = verdictOf(comparisons.get('after')![measures[0]!]!)
  return { evaluations, comparisons, verdict }
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
