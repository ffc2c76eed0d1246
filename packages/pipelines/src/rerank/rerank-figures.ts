import { type EvaluationOptions, evaluate, type Run, readQrels, readRun } from '@kith/ir'
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

/** Measures a run before and after reranking. */
export async function measureReranking(
  qrelsFile: string,
  before: { file: string; run: Run },
  out: string,
  { measures = usualMeasures, ...options }: Measuring,
): Promise<RerankFigures> {
  const qrels = await readQrels(qrelsFile)
  const named = (name: string, file: string, run: Run): NamedEvaluation => {
    return { name, file, evaluation: evaluate(qrels, run, [...measures], options) }
  }
  const evaluations: RerankFigures['evaluations'] = [
    named('before', before.file, before.run),
    named('after', out, await readRun(out)),
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
